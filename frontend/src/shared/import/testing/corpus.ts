import { csvFile, type Dialect, EXCEL, encoded, LIBRE_OFFICE, utf16 } from "./csvFiles";
import { type Cell, workbook, zipped } from "./workbooks";

/** A file, and what comes of it: how many rows of each outcome, or part of what is said of it. */
export interface CorpusFile {
  name: string;
  make: () => File | Promise<File>;
  sheet?: number;
  outcome: Readonly<Record<string, number>> | string;
}

const HEADER = ["Hull Number", "Name", "Tons", "Built On", "Home Port"];
const ROWS = [
  ["S-1", "Asha", "11", "2020-01-31", "Köln"],
  ["S-2", "Bela", "", "", ""],
  ["S-3", 'The "Great"', "12.5", "31.12.2021", "Goa, North\nPier 2"],
  ["S-4", "", "1", "", ""],
  ["S-3", "Twice", "2", "", ""],
];
const TABLE = [HEADER, ...ROWS];
const USUAL = { changed: 1, unchanged: 1, new: 1, refused: 1, duplicate: 1 };

const text = (content: string, name = "list.csv") => new File([content], name);
const bytes = (...content: number[]) => new File([Uint8Array.from(content)], "list.csv");
const dialect = (differences: Partial<Dialect>): Dialect => ({ ...LIBRE_OFFICE, ...differences });
const line = "Hull Number,Name,Tons\n";
const sheetOf = (rows: readonly (readonly Cell[])[], name = "List") => ({ name, rows });
const book = (...rows: (readonly Cell[])[]) => workbook([sheetOf(rows)]);

const encodings = ["utf-8", "utf-8-bom", "utf-16le", "utf-16be", "windows-1252"] as const;
const separators = [
  [",", "commas"],
  [";", "semicolons"],
  ["\t", "tabs"],
  ["|", "bars"],
] as const;

const written: readonly CorpusFile[] = encodings.flatMap((encoding) =>
  separators.map(([separator, name]) => ({
    name: `CSV in ${encoding}, with ${name}`,
    make: () => csvFile(TABLE, dialect({ encoding, separator, quotesAll: separator === "\t" })),
    outcome: USUAL,
  })),
);

const csv: readonly CorpusFile[] = [
  { name: "Excel's CSV", make: () => csvFile(TABLE, EXCEL), outcome: USUAL },
  { name: "LibreOffice's CSV", make: () => csvFile(TABLE, LIBRE_OFFICE), outcome: USUAL },
  {
    name: "UTF-16 without a mark",
    make: () => new File([utf16(`${line}S-9,Zoë,1`, true)], "x"),
    outcome: { new: 1 },
  },
  {
    name: "Excel's line about the separator",
    make: () => text("sep=;\r\nHull Number;Name\r\nS-9;A,B;\r\n"),
    outcome: { new: 1 },
  },
  {
    name: "old Macs' line ends",
    make: () => text(`${line}S-8,A,1\nS-9,B,2\n`.replaceAll("\n", "\r")),
    outcome: { new: 2 },
  },
  { name: "line ends of two kinds", make: () => text(`${line}S-8,A,1\r\nS-9,B,2\n`), outcome: { new: 2 } },
  { name: "no line end at the end", make: () => text(`${line}S-9,B,2`), outcome: { new: 1 } },
  { name: "blank lines anywhere", make: () => text(`\n\n${line}\n\nS-9,B,2\n\n,,\n`), outcome: { new: 1 } },
  {
    name: "quoted line ends and marks",
    make: () => text(`${line}S-9,"a\r\n""b""\n",2\n`),
    outcome: { new: 1 },
  },
  {
    name: "rows shorter and longer than the header",
    make: () => text(`${line}S-8,A\nS-9,B,2,3,4\n`),
    outcome: { new: 2 },
  },
  {
    name: "headers in another case and order",
    make: () => text("TONS;hull_number;NAME\n1;S-9;A\n"),
    outcome: { new: 1 },
  },
  {
    name: "the server's names",
    make: () => text("id,ship_name,home.port\nS-9,A,Goa\n"),
    outcome: { new: 1 },
  },
  { name: "duplicate headers", make: () => text("Hull Number,Name,Name\nS-9,A,\n"), outcome: { new: 1 } },
  { name: "a column without a name", make: () => text("Hull Number,,Name\nS-9,x,A\n"), outcome: { new: 1 } },
  { name: "columns that are none of ours", make: () => text("a,b\n1,2\n"), outcome: "no column is known" },
  { name: "no header", make: () => text("S-9,A,1\nS-8,B,2\n"), outcome: "no column is known" },
  {
    name: "one column alone",
    make: () => text("Hull Number\nS-1\nS-9\n"),
    outcome: { unchanged: 1, refused: 1 },
  },
  { name: "a header alone", make: () => text(line), outcome: "no rows below" },
  { name: "nothing", make: () => text(""), outcome: "This file is empty." },
  { name: "blanks alone", make: () => text(" \n;;\n"), outcome: "There is nothing in this file." },
  {
    name: "a mark alone",
    make: () => new File([encoded("", "utf-8-bom")], "x"),
    outcome: "There is nothing in this file.",
  },
  {
    name: "cells that would run",
    make: () => text(`${line}S-9,=cmd|' /C calc'!A0,1\nS-8,@SUM(A1),2\n`),
    outcome: { new: 2 },
  },
  {
    name: "texts for numbers",
    make: () => text(`${line}S-9,A,many\nS-8,B,1e400\nS-7,C,0x10\n`),
    outcome: { refused: 2, new: 1 },
  },
  {
    name: "days that are none",
    make: () => text("Hull Number,Name,Built On\nS-9,A,#REF!\n"),
    outcome: { refused: 1 },
  },
  { name: "missing ids", make: () => text(`${line},A,1\n,B,2\n`), outcome: { refused: 2 } },
  {
    name: "ids once more",
    make: () => text(`${line}S-9,A,1\n S-9 ,B,2\nS-9,C,3\n`),
    outcome: { new: 1, duplicate: 2 },
  },
  {
    name: "an open quotation mark",
    make: () => text(`${line}S-9,"A,1\n`),
    outcome: "A quotation mark in row 2",
  },
  {
    name: "100,000 rows",
    make: () =>
      text(line + Array.from({ length: 100_000 }, (_, index) => `S-${index + 1},Ship,1\n`).join("")),
    outcome: { changed: 2, new: 99_998 },
  },
];

const binary: readonly CorpusFile[] = [
  {
    name: "a picture",
    make: () => bytes(0x89, 0x50, 0x4e, 0x47, 13, 10, 26, 10, 0, 0, 0, 13),
    outcome: "neither a CSV",
  },
  {
    name: "a document",
    make: () => bytes(0x25, 0x50, 0x44, 0x46, 10, 1, 2, 3, 4, 5, 6, 0),
    outcome: "neither a CSV",
  },
  { name: "an old Excel file", make: () => bytes(0xd0, 0xcf, 0x11, 0xe0), outcome: "an old Excel" },
  { name: "a broken archive", make: () => bytes(0x50, 0x4b, 3, 4, 20, 0, 6), outcome: "damaged" },
  {
    name: "an archive of something else",
    make: () => zipped(new Map([["a.txt", "b"]])),
    outcome: "no XLSX file",
  },
];

const xlsx: readonly CorpusFile[] = [
  { name: "XLSX", make: () => book(...TABLE), outcome: USUAL },
  {
    name: "XLSX with numbers and days",
    make: () => book(HEADER, ["S-9", "A", 12.5, { date: 46351 }]),
    outcome: { new: 1 },
  },
  {
    name: "XLSX with texts in its cells",
    make: () => book(HEADER, [{ inline: "S-9" }, { inline: "A" }]),
    outcome: { new: 1 },
  },
  {
    name: "XLSX with formulas",
    make: () => book(HEADER, [{ formula: 'A1&"9"', value: "S-9" }, "A", { formula: "1+1", value: 2 }]),
    outcome: { new: 1 },
  },
  {
    name: "XLSX with a failed formula",
    make: () => book(HEADER, ["S-9", { error: "#DIV/0!" }]),
    outcome: { refused: 1 },
  },
  {
    name: "XLSX with two sheets",
    make: () => workbook([sheetOf([["About"], ["this list"]], "About"), sheetOf(TABLE)]),
    sheet: 1,
    outcome: USUAL,
  },
  {
    name: "XLSX with a hidden sheet",
    make: () => workbook([{ ...sheetOf([["x"]]), isHidden: true }, sheetOf(TABLE)]),
    outcome: USUAL,
  },
  { name: "XLSX without a row", make: () => book(), outcome: "There is nothing in this file." },
  { name: "XLSX with blank rows", make: () => book([null], HEADER, [""], ["S-9", "A"]), outcome: { new: 1 } },
  { name: "XLSX with prefixes", make: () => workbook([sheetOf(TABLE)], { prefix: "x:" }), outcome: USUAL },
  {
    name: "XLSX with cells that would run",
    make: () => book(HEADER, ["S-9", "=cmd|' /C calc'!A0"]),
    outcome: { new: 1 },
  },
];

/** Files as people have them, and as they should not be. */
export const corpus: readonly CorpusFile[] = [...written, ...csv, ...binary, ...xlsx];
