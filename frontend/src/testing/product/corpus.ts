import { csvFile, type Dialect, EXCEL, encoded, LIBRE_OFFICE, utf16 } from "@/shared/import/testing/csvFiles";
import { type Cell, workbook, zipped } from "@/shared/import/testing/workbooks";

/** The trailers that there are: Asha, which carries 10 tons, and Bela. */
export type Ids = readonly [asha: string, bela: string];

/** A file about trailers, and what comes of it: how many rows of each outcome, or part of what is said of it. */
export interface CorpusFile {
  name: string;
  make: (ids: Ids) => File | Promise<File>;
  sheet?: number;
  outcome: Readonly<Record<string, number>> | string;
}

const HEADER = ["Trailer ID", "Identifier", "Capacity (tons)", "Purchase Date", "Location"];
const table = ([asha, bela]: Ids) => [
  HEADER,
  [asha, "Asha", "11", "2020-01-31", "Köln"],
  [bela, "Bela", "", "", ""],
  ["", 'The "Great"', "12.5", "31.12.2021", "Goa, North\nPier 2"],
  ["", "", "1", "", ""],
  [asha, "Twice", "2", "", ""],
];
const USUAL = { changed: 1, unchanged: 1, new: 1, refused: 1, duplicate: 1 };

const text = (content: string, name = "list.csv") => new File([content], name);
const bytes = (...content: number[]) => new File([Uint8Array.from(content)], "list.csv");
const dialect = (differences: Partial<Dialect>): Dialect => ({ ...LIBRE_OFFICE, ...differences });
const line = "Trailer ID,Identifier,Capacity\n";
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
    make: (ids) => csvFile(table(ids), dialect({ encoding, separator, quotesAll: separator === "\t" })),
    outcome: USUAL,
  })),
);

const csv: readonly CorpusFile[] = [
  { name: "Excel's CSV", make: (ids) => csvFile(table(ids), EXCEL), outcome: USUAL },
  { name: "LibreOffice's CSV", make: (ids) => csvFile(table(ids), LIBRE_OFFICE), outcome: USUAL },
  {
    name: "UTF-16 without a mark",
    make: () => new File([utf16(`${line},Zoë,1`, true)], "x"),
    outcome: { new: 1 },
  },
  {
    name: "Excel's line about the separator",
    make: () => text("sep=;\r\nTrailer ID;Identifier\r\n;A,B;\r\n"),
    outcome: { new: 1 },
  },
  {
    name: "old Macs' line ends",
    make: () => text(`${line},A,1\n,B,2\n`.replaceAll("\n", "\r")),
    outcome: { new: 2 },
  },
  { name: "line ends of two kinds", make: () => text(`${line},A,1\r\n,B,2\n`), outcome: { new: 2 } },
  { name: "no line end at the end", make: () => text(`${line},B,2`), outcome: { new: 1 } },
  { name: "blank lines anywhere", make: () => text(`\n\n${line}\n\n,B,2\n\n,,\n`), outcome: { new: 1 } },
  {
    name: "quoted line ends and marks",
    make: () => text(`${line},"a\r\n""b""\n",2\n`),
    outcome: { new: 1 },
  },
  {
    name: "rows shorter and longer than the header",
    make: () => text(`${line},A\n,B,2,3,4\n`),
    outcome: { new: 2 },
  },
  {
    name: "headers in another case and order",
    make: () => text("CAPACITY TONS;trailer_id;IDENTIFIER\n1;;A\n"),
    outcome: { new: 1 },
  },
  {
    name: "the server's names",
    make: () => text("id,identifier,data.currentLocation\n,A,Goa\n"),
    outcome: { new: 1 },
  },
  {
    name: "duplicate headers",
    make: () => text("Trailer ID,Identifier,Identifier\n,A,\n"),
    outcome: { new: 1 },
  },
  {
    name: "a column without a name",
    make: () => text("Trailer ID,,Identifier\n,x,A\n"),
    outcome: { new: 1 },
  },
  { name: "columns that are none of ours", make: () => text("a,b\n1,2\n"), outcome: "no column is known" },
  { name: "no header", make: () => text(",A,1\n,B,2\n"), outcome: "no column is known" },
  {
    name: "one column alone",
    make: ([, bela]) => text(`Trailer ID\n${bela}\nTRL-NONE\n`),
    outcome: { unchanged: 1, refused: 1 },
  },
  { name: "a header alone", make: () => text(line), outcome: "no rows below" },
  { name: "nothing", make: () => text(""), outcome: "This file is empty." },
  { name: "blanks alone", make: () => text(" \n;;\n"), outcome: "This file has no data." },
  {
    name: "a mark alone",
    make: () => new File([encoded("", "utf-8-bom")], "x"),
    outcome: "This file has no data.",
  },
  {
    name: "cells that would run",
    make: () => text(`${line},=cmd|' /C calc'!A0,1\n,@SUM(A1),2\n`),
    outcome: { new: 2 },
  },
  {
    name: "texts for numbers",
    make: () => text(`${line},A,many\n,B,1e400\n,C,1e3\n`),
    outcome: { refused: 2, new: 1 },
  },
  {
    name: "days that are none",
    make: () => text("Trailer ID,Identifier,Purchase Date\n,A,#REF!\n"),
    outcome: { refused: 1 },
  },
  { name: "unknown ids", make: () => text(`${line}TRL-1,A,1\n=A1,B,2\n`), outcome: { refused: 2 } },
  {
    name: "ids once more",
    make: ([asha]) => text(`${line}${asha},A,1\n ${asha} ,B,2\n${asha},C,3\n`),
    outcome: { changed: 1, duplicate: 2 },
  },
  {
    name: "an open quotation mark",
    make: () => text(`${line},"A,1\n`),
    outcome: "A quotation mark in row 2",
  },
  {
    name: "more rows than one request takes",
    make: ([asha]) => text(`${line}${asha},Asha,11\n${",,1\n".repeat(600)},Chitra,1\n`),
    outcome: { changed: 1, new: 1, refused: 600 },
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
    outcome: "isn't an XLSX file",
  },
];

const xlsx: readonly CorpusFile[] = [
  { name: "XLSX", make: (ids) => book(...table(ids)), outcome: USUAL },
  {
    name: "XLSX with numbers and days",
    make: () => book(HEADER, [null, "A", 12.5, { date: 46351 }]),
    outcome: { new: 1 },
  },
  {
    name: "XLSX with texts in its cells",
    make: ([asha]) => book(HEADER, [{ inline: asha }, { inline: "A" }]),
    outcome: { changed: 1 },
  },
  {
    name: "XLSX with formulas",
    make: () => book(HEADER, [null, { formula: 'A1&"9"', value: "A" }, { formula: "1+1", value: 2 }]),
    outcome: { new: 1 },
  },
  {
    name: "XLSX with a failed formula",
    make: () => book(HEADER, [null, { error: "#DIV/0!" }]),
    outcome: { refused: 1 },
  },
  {
    name: "XLSX with two sheets",
    make: (ids) => workbook([sheetOf([["About"], ["this list"]], "About"), sheetOf(table(ids))]),
    sheet: 1,
    outcome: USUAL,
  },
  {
    name: "XLSX with a hidden sheet",
    make: (ids) => workbook([{ ...sheetOf([["x"]]), isHidden: true }, sheetOf(table(ids))]),
    outcome: USUAL,
  },
  { name: "XLSX without a row", make: () => book(), outcome: "This file has no data." },
  { name: "XLSX with blank rows", make: () => book([null], HEADER, [""], ["", "A"]), outcome: { new: 1 } },
  {
    name: "XLSX with prefixes",
    make: (ids) => workbook([sheetOf(table(ids))], { prefix: "x:" }),
    outcome: USUAL,
  },
  {
    name: "XLSX with cells that would run",
    make: () => book(HEADER, [null, "=cmd|' /C calc'!A0"]),
    outcome: { new: 1 },
  },
];

/** Files as people have them, and as they should not be. */
export const corpus: readonly CorpusFile[] = [...written, ...csv, ...binary, ...xlsx];
