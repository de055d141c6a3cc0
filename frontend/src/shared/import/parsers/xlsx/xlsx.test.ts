import fc from "fast-check";
import { expect, test } from "vitest";
import { cellsIn, rowsIn } from "../../testing/read";
import { type Cell, workbook, zipped } from "../../testing/workbooks";
import { openTable } from "../openTable";
import { type CellFormat, dateText, generalText, loadFormats } from "./numberFormat";

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

const cellFormat = await loadFormats();

const shownNumber = (stored: string, format: CellFormat) =>
  typeof format === "object" ? format.number(stored) : generalText(stored);

test.each([
  ["112233445566", "00000000000000", "00112233445566"],
  ["42", '"EMP-"0000', "EMP-0042"],
  ["9876543210", "000\\-000\\-0000", "987-654-3210"],
  ["5551234", "[<=9999999]###\\-####;(###) ###\\-####", "555-1234"],
  ["9876543210", "[<=9999999]###\\-####;(###) ###\\-####", "(987) 654-3210"],
  ["1234567.891", "#,##0.00", "1,234,567.89"],
  ["12345678", "[>=10000000]##\\,##\\,##\\,##0;[>=100000]##\\,##\\,##0;##,##0", "1,23,45,678"],
  ["1.005", "0.00", "1.01"],
  ["0", "0;-0;;@", ""],
  ["1234.5", "[$₹-4009] #,##0.00", "₹ 1,234.50"],
  ["7", '[Red]General" t"', "7 t"],
  ["919876543210", "0.00E+00", "919876543210"],
  ["0.5", "# ?/?", "0.5"],
  ["0.3333333333333333", "0.00", "0.33"],
  ["1234567890123456", "0.00", "1234567890123456"],
])("%s in the format %s is shown as %s", (stored, code, shown) => {
  expect(shownNumber(stored, cellFormat(164, code))).toBe(shown);
});

test.each([
  ["0.30000000000000004", "0.3"],
  ["4.0999999999999996", "4.1"],
  ["1.0E-2", "0.01"],
  ["9.19876543210E+11", "919876543210"],
  ["1.2345678901234499E+17", "123456789012345000"],
  ["-1.2345678901234499E+17", "-123456789012345000"],
  ["1234567890123456", "1234567890123456"],
  ["many", "many"],
])("the stored number %s has the digits %s", (stored, digits) => {
  expect(generalText(stored)).toBe(digits);
});

test("built-in formats are known by their ids", () => {
  expect(shownNumber("1234", cellFormat(3))).toBe("1,234");
  expect(cellFormat(0)).toBeUndefined();
  expect(cellFormat(49)).toBeUndefined();
});

test("texts are shown with the literal text of their format", () => {
  const shown = (code: string) => {
    const format = cellFormat(164, code);
    return typeof format === "object" ? format.text("7A") : "7A";
  };
  expect([shown('"EMP-"@'), shown("0.00")]).toEqual(["EMP-7A", "7A"]);
});
