import fc from "fast-check";
import { expect, test } from "vitest";
import { csvFile, type Dialect, EXCEL, encoded, LIBRE_OFFICE, utf16 } from "../testing/csvFiles";
import { cellsIn, rowsIn } from "../testing/read";
import { openTable } from "./openTable";

const HEADER = ["ID", "Name", "City"];
const TABLE = [HEADER, ["1", "Zoë", "Köln"], ["2", "Ravi", "Pune, West"]];

test.each([
  ["Excel's, with semicolons, in Windows-1252", EXCEL, "CSV, Windows-1252, separated by semicolons"],
  ["LibreOffice's", LIBRE_OFFICE, "CSV, UTF-8, separated by commas"],
  ["with a mark", { ...LIBRE_OFFICE, encoding: "utf-8-bom" }, "CSV, UTF-8, separated by commas"],
  ["in UTF-16", { ...EXCEL, encoding: "utf-16le" }, "CSV, UTF-16, separated by semicolons"],
  ["in UTF-16 of large machines", { ...EXCEL, encoding: "utf-16be" }, "CSV, UTF-16, separated by semicolons"],
  ["with tabs", { ...LIBRE_OFFICE, separator: "\t" }, "CSV, UTF-8, separated by tabs"],
  ["with bars", { ...LIBRE_OFFICE, separator: "|" }, "CSV, UTF-8, separated by bars"],
] satisfies [string, Dialect, string][])("a file %s is read", async (_, dialect, description) => {
  const file = csvFile(TABLE, dialect);
  expect((await openTable(file)).description).toBe(description);
  expect(await cellsIn(file)).toEqual(TABLE);
});

test.each([
  ["UTF-16 without a byte order mark", utf16("a,b\n1,2", true)],
  ["UTF-16 of large machines without a byte order mark", utf16("a,b\n1,2", false)],
  ["old Mac line ends", "a,b\r1,2\r"],
])("a file with %s is read", async (_, content) => {
  expect(await cellsIn(new Blob([content]))).toEqual([
    ["a", "b"],
    ["1", "2"],
  ]);
});

test("rows have the numbers of spreadsheets, without blank rows", async () => {
  const file = new Blob(['a;b\r\n1;"x\r\ny;""z"\r\n\r\n;\r\n3;4']);
  expect(await rowsIn(file)).toEqual([
    { number: 1, cells: ["a", "b"] },
    { number: 2, cells: ["1", 'x\ny;"z'] },
    { number: 5, cells: ["3", "4"] },
  ]);
});

test("Excel's separator line is obeyed and is not a row", async () => {
  expect(await rowsIn(new Blob(["sep=|\r\na|b,c\r\n1|2\r\n"]))).toEqual([
    { number: 2, cells: ["a", "b,c"] },
    { number: 3, cells: ["1", "2"] },
  ]);
});

test("100,000 rows are read in parts", async () => {
  const lines = Array.from(
    { length: 100_000 },
    (_, index) => `EMP-${index},"Köln, ""${index}""",${"x".repeat(20)}`,
  );
  const table = await openTable(new Blob([`id,city,rest\n${lines.join("\n")}`]));
  let count = 0;
  let largest = 0;
  for await (const rows of table.rows(0)) {
    count += rows.length;
    largest = Math.max(largest, rows.length);
    if (rows[0]) expect(rows[0].cells[1]).toMatch(/^(city|Köln, "\d+")$/);
  }
  expect(count).toBe(100_001);
  expect(largest).toBeLessThan(50_000);
});

test.each([
  ["nothing at all", [], "This file is empty."],
  [
    "a picture",
    [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 0, 0, 13, 1, 2, 3, 4],
    "neither a CSV nor",
  ],
  [
    "an old Excel file",
    [0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1],
    "This is an old Excel format (.xls) or has a password. Save it as XLSX without a password",
  ],
  ["a damaged XLSX file", [0x50, 0x4b, 0x03, 0x04, 0x14, 0, 6, 0], "This XLSX file is damaged"],
])("the problem of %s is reported", async (_, bytes, message) => {
  await expect(openTable(new Blob([Uint8Array.from(bytes)]))).rejects.toThrow(message);
});

test("an unclosed quotation mark is reported with its row", async () => {
  await expect(rowsIn(new Blob(['a,b\n1,2\n"3,4\n5,6\n']))).rejects.toThrow(
    "A quotation mark in row 3 is not closed",
  );
});

const cell = fc.string({ unit: fc.constantFrom(..."aZ7 ,;|\t\"'\n=@-é".split("")), maxLength: 12 });
const tables = fc
  .integer({ min: 2, max: 6 })
  .chain((width) =>
    fc.tuple(
      fc.uniqueArray(fc.stringMatching(/^[A-Za-z]{1,8}$/), { minLength: width, maxLength: width }),
      fc.array(fc.array(cell, { minLength: width, maxLength: width }), { maxLength: 12 }),
    ),
  )
  .map(([header, rows]) => [header, ...rows]);

const dialects = fc.record<Dialect>({
  separator: fc.constantFrom(",", ";", "\t", "|"),
  encoding: fc.constantFrom("utf-8", "utf-8-bom", "utf-16le", "utf-16be", "windows-1252"),
  lineEnd: fc.constantFrom("\n", "\r\n"),
  quotesAll: fc.boolean(),
  endsLine: fc.boolean(),
});

test("any table in any dialect is read back", async () => {
  await fc.assert(
    fc.asyncProperty(tables, dialects, async (table, dialect) => {
      const isBlank = (cells: readonly string[]) => cells.every((text) => text.trim() === "");
      const read = await cellsIn(csvFile(table, dialect));
      expect(read).toEqual(table.filter((cells) => !isBlank(cells)));
    }),
    { numRuns: 200 },
  );
});

test("text split anywhere between two chunks is read correctly", async () => {
  const text = `a;b\r\n"x""\r\ny";"é€😀"\r\n1;2\r\n`;
  const bytes = encoded(text, "utf-8");
  for (let padding = 0; padding < bytes.length; padding += 1) {
    const before = "z".repeat((1 << 20) - padding - 6);
    const file = new Blob([`h;i\r\n${before};\r\n`.slice(0, (1 << 20) - padding), bytes]);
    const rows = await cellsIn(file);
    expect(rows.slice(-2)).toEqual([
      ['x"\ny', "é€😀"],
      ["1", "2"],
    ]);
  }
});
