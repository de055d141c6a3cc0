import Papa from "papaparse";
import { type Encoding, recogniseEncoding, textOf } from "./encoding";
import { recogniseSeparator, SEPARATOR_NAMES, separatorLine } from "./separator";
import { isBlank, MOST_COLUMNS, type Row, type TableFile } from "./tableFile";
import { tooLarge, UnreadableFile } from "./unreadable";

/** In characters: no row is longer, unless a quotation mark is missing. */
const LONGEST_ROW = 4_000_000;

/** In characters: longer runs of blanks are found by looking at one character of so many. */
const LOOKED_AT_EACH = 500;
/** Gone through in about a second. */
const MOST_BLANKS = 200_000_000;

const ENCODING_NAMES: Readonly<Record<Encoding, string>> = {
  "utf-8": "UTF-8",
  "utf-16le": "UTF-16",
  "utf-16be": "UTF-16",
  "windows-1252": "Windows-1252",
};

/** Opens a CSV file, whatever it separates cells by and however its text is written. */
export async function openCsv(file: Blob): Promise<TableFile> {
  const encoding = await recogniseEncoding(file);
  const beginning = await linesOf(file, encoding).next();
  const separator = recogniseSeparator(beginning.value ?? "");
  return {
    description: `CSV, ${ENCODING_NAMES[encoding]}, separated by ${SEPARATOR_NAMES[separator] ?? separator}`,
    sheets: ["CSV"],
    rows: () => rowsOf(linesOf(file, encoding), separator),
  };
}

/** A file's text, piece by piece, whose lines end in `\n`, within quotation marks too. */
async function* linesOf(file: Blob, encoding: Encoding): AsyncGenerator<string> {
  let held = "";
  for await (const piece of textOf(file, encoding)) {
    const text = held + piece;
    // The other half of the line's end may be in the next piece.
    held = text.endsWith("\r") ? "\r" : "";
    const lines = text.slice(0, text.length - held.length).replaceAll(/\r\n?/g, "\n");
    requireFewBlanks(lines);
    yield lines;
  }
  if (held !== "") yield "\n";
}

/**
 * Refuses text on which the parser would work for minutes: at each quotation mark inside a cell it goes through the
 * blanks before the next separator.
 */
export function requireFewBlanks(text: string): void {
  let longest = 0;
  for (let at = 0; at < text.length; at += LOOKED_AT_EACH) {
    let end = at;
    while (text[end] !== "\n" && text[end]?.trim() === "") end += 1;
    longest = Math.max(longest, end - at);
    at = end;
  }
  if (longest > LOOKED_AT_EACH && longest * (text.match(/"/g)?.length ?? 0) > MOST_BLANKS) {
    throw tooLarge("it has long runs of blanks beside many quotation marks");
  }
}

/** Cuts text into rows. The parser gets pieces; where a row is not whole yet, it is read once more with the next one. */
async function* rowsOf(pieces: AsyncGenerator<string>, separator: string): AsyncGenerator<readonly Row[]> {
  let rest = "";
  let number = 0;
  let isBeginning = true;
  for await (const piece of pieces) {
    rest += piece;
    if (isBeginning) {
      const said = separatorLine(rest);
      if (said) {
        rest = rest.slice(said.line.length);
        number += 1;
      }
      isBeginning = rest === "";
    }
    const { records, end } = parse(rest, separator);
    // The last one may go on in the next piece.
    const whole = records.slice(0, -1);
    rest = rest.slice(end);
    if (rest.length > LONGEST_ROW) throw missingMark(number + whole.length + 1);
    yield numbered(whole, number);
    number += whole.length;
  }
  if (rest === "") return;
  const { records, isOpen } = parse(rest, separator);
  if (isOpen) throw missingMark(number + records.length);
  yield numbered(records, number);
}

function numbered(records: readonly string[][], before: number): readonly Row[] {
  return records
    .map((cells, index) => ({ number: before + index + 1, cells: cells.slice(0, MOST_COLUMNS) }))
    .filter(({ cells }) => !isBlank(cells));
}

interface Parsed {
  records: string[][];
  /** Where the last one begins. */
  end: number;
  /** A quotation mark of the last one is not closed. */
  isOpen: boolean;
}

export function parse(text: string, separator: string): Parsed {
  const parsed: Parsed = { records: [], end: 0, isOpen: false };
  let next = 0;
  Papa.parse<string[]>(text, {
    delimiter: separator,
    newline: "\n",
    step: ({ data, errors, meta }) => {
      parsed.records.push(data);
      parsed.end = next;
      next = meta.cursor;
      parsed.isOpen = errors.some(({ code }) => code === "MissingQuotes");
    },
  });
  return parsed;
}

function missingMark(row: number): UnreadableFile {
  return new UnreadableFile(
    `A quotation mark in row ${row} is not closed: from there on nothing can be told apart.`,
  );
}
