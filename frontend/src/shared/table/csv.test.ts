import fc from "fast-check";
import Papa from "papaparse";
import { expect, test } from "vitest";
import type { DataColumn } from "./columns";
import { csvFileName, toCsv } from "./csv";

type Cells = readonly (string | number | null | undefined)[];

/** Format rows with a column for each cell, headed `A`, `B` and so on. */
function written(rows: readonly Cells[], headers = ["A", "B", "C"].slice(0, rows[0]?.length)): string {
  const columns: DataColumn<Cells>[] = headers.map((header, index) => ({
    id: String(index),
    header,
    value: (row) => row[index],
  }));
  return toCsv(columns, rows);
}

/** Parse a file as the import does, after its byte order mark. */
function read(csv: string): string[][] {
  expect(csv[0]).toBe("\uFEFF");
  const { data, errors } = Papa.parse<string[]>(csv.slice(1), { delimiter: ",", newline: "\r\n" });
  expect(errors).toEqual([]);
  expect(data.at(-1)).toEqual([""]);
  return data.slice(0, -1);
}

/** Return the only cell after a round trip. */
const cellOf = (text: string) => read(written([[text]]))[1]?.[0];

test("a byte order mark, the headers and the rows are written, with CRLF after each line", () => {
  expect(written([["Ravi", 3, null]], ["Name", "Trips", "Home, town"])).toBe(
    '\uFEFFName,Trips,"Home, town"\r\nRavi,3,\r\n',
  );
});

test("commas, quotes and line breaks stay inside their cell", () => {
  expect(written([['a,"b"', "c\nd", "e\r\nf"]])).toBe('\uFEFFA,B,C\r\n"a,""b""","c\nd","e\r\nf"\r\n');
});

test.each([
  "=1+1",
  "@SUM(A1)",
  "\tx",
  "\rx",
  "+1+1",
  "-A1",
  "+91 98765 43210 ext",
  "-2+3",
  "-E5",
  "+cmd|' /C calc'!A0",
  "\n=1",
  "\uFF1D1+1",
])("%j is escaped", (text) => {
  expect(cellOf(text)).toBe(`'${text}`);
});

test.each(["+91 98765 43210", "-12.5", "-2.5e+300", "+1,000.00", "-", "a=b", "'x", "1-2", "–", ""])(
  "%j is not escaped",
  (text) => {
    expect(cellOf(text)).toBe(text);
  },
);

test("headers are escaped as well", () => {
  expect(read(written([["x"]], ["=A1"]))).toEqual([["'=A1"], ["x"]]);
});

const anyText = fc.oneof(
  fc.string({ unit: "binary" }),
  fc.string({
    unit: fc.constantFrom(",", '"', "\r", "\n", "\t", "'", "=", "+", "-", "@", " ", "1", "é", "a"),
  }),
);

test("a file is read back as it was written", () => {
  const rows = fc.array(fc.tuple(anyText, anyText, anyText), { minLength: 1 });
  fc.assert(
    fc.property(rows, (cells) => {
      const [, ...back] = read(written(cells));
      expect(back).toHaveLength(cells.length);
      back.flat().forEach((text, index) => {
        const original = (cells.flat()[index] ?? "").replaceAll(/(?![\t\n\r])\p{Cc}/gu, "");
        expect([original, `'${original}`]).toContain(text);
        // Dangerous cells are escaped, and no others.
        expect(text).not.toMatch(
          /^([=@\t\r\n\uFF1D\uFF0B\uFF0D\uFF20]|[+-](?![\d .,]*(?:\d[eE][+-]?\d+)?$))/,
        );
        if (!/^'*[=@\t\r\n+\-\uFF1D\uFF0B\uFF0D\uFF20]/.test(original)) expect(text).toBe(original);
      });
    }),
  );
});

test("a file is named after the list and the reader's day", () => {
  expect(csvFileName("drivers", new Date(2026, 0, 5, 0, 1))).toBe("drivers-2026-01-05.csv");
  expect(csvFileName("drivers", new Date(2026, 10, 21, 23, 59))).toBe("drivers-2026-11-21.csv");
});
