import fc from "fast-check";
import { expect, test } from "vitest";
import { cellsIn, rowsIn } from "../../testing/read";
import { type Cell, workbook, zipped } from "../../testing/workbooks";
import { openTable } from "../openTable";
import { dateText, loadFormats } from "./numberFormat";

test("cells of all types are read as the texts that they show", async () => {
  const row: readonly Cell[] = [
    "Köln & Söhne",
    { inline: "<inline>" },
    12.5,
    9845012345,
    { date: 46351 },
    { date: 46351.5 },
    true,
    { formula: "A1&1", value: "done" },
    { formula: "1+1", value: 2 },
    { error: "#N/A" },
    null,
    "after a gap",
  ];
  expect(await cellsIn(await workbook([{ name: "List", rows: [row] }]))).toEqual([
    [
      ...["Köln & Söhne", "<inline>", "12.5", "9845012345", "2026-11-25", "2026-11-25T12:00:00"],
      ...["TRUE", "done", "2", "#N/A", "", "after a gap"],
    ],
  ]);
});

test("rows keep their numbers", async () => {
  const file = await workbook([{ name: "List", rows: [["a"], [null], [""], ["b"]] }]);
  expect(await rowsIn(file)).toEqual([
    { number: 1, cells: ["a"] },
    { number: 4, cells: ["b"] },
  ]);
});

test("each visible sheet can be read", async () => {
  const file = await workbook([
    { name: "First", rows: [["1"]] },
    { name: "Notes", rows: [["secret"]], isHidden: true },
    { name: "Second & last", rows: [["2"]] },
  ]);
  expect((await openTable(file)).sheets).toEqual(["First", "Second & last"]);
  expect(await cellsIn(file, 1)).toEqual([["2"]]);
});

test("prefixed names and dates from 1904 are read", async () => {
  const file = await workbook([{ name: "List", rows: [["a", { date: 44889 }]] }], {
    prefix: "x:",
    isFrom1904: true,
  });
  expect(await cellsIn(file)).toEqual([["a", "2026-11-25"]]);
});

test("an archive without a workbook is refused", async () => {
  const file = await zipped(new Map([["mimetype", "application/vnd.oasis.opendocument.spreadsheet"]]));
  await expect(openTable(file)).rejects.toThrow("This isn't an XLSX file.");
});

test("reading a sheet can stop early", async () => {
  const rows = Array.from({ length: 20_000 }, (_, index) => [`EMP-${index}`, index]);
  const table = await openTable(
    await workbook([{ name: "List", rows: rows.map(([id]) => [{ inline: String(id) }]) }]),
  );
  for await (const part of table.rows(0)) {
    expect(part.length).toBeGreaterThan(0);
    break;
  }
  let count = 0;
  for await (const part of table.rows(0)) count += part.length;
  expect(count).toBe(20_000);
});

test("any texts are read back", async () => {
  const text = fc.string({ unit: fc.constantFrom(..."aé<>&\"' ;,\n=".split("")), maxLength: 10 });
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.array(text, { minLength: 1, maxLength: 4 }), { minLength: 1, maxLength: 6 }),
      async (rows) => {
        const read = await cellsIn(await workbook([{ name: "List", rows }]));
        const trimmed = (cells: readonly string[]) =>
          cells.slice(0, cells.findLastIndex((cell) => cell !== "") + 1);
        const isBlank = (cells: readonly string[]) => cells.every((cell) => cell.trim() === "");
        expect(read.map(trimmed)).toEqual(rows.filter((cells) => !isBlank(cells)).map(trimmed));
      },
    ),
    { numRuns: 40 },
  );
});

test.each([
  [14, undefined, true],
  [0, undefined, false],
  [164, "dd/mm/yyyy", true],
  [165, '0.00 "days"', false],
  [166, "[Red]#,##0", false],
  [167, "[h]:mm", true],
  [168, "General", false],
])("format %i (%s) is recognised as a date or not", async (id, code, isDate) => {
  expect((await loadFormats())(id, code) === "date").toBe(isDate);
});

test("dates are counted like spreadsheets do, including 29 February 1900", () => {
  expect(dateText(1, false)).toBe("1900-01-01");
  expect(dateText(59, false)).toBe("1900-02-28");
  expect(dateText(61, false)).toBe("1900-03-01");
  expect(dateText(0.25, false)).toBe("06:00:00");
});
