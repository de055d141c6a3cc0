import Papa from "papaparse";
import { type Encoding, recogniseEncoding, textOf } from "./encoding";
import { tooLarge, UnreadableFile } from "./errors";
import { isBlank, MOST_COLUMNS, type Row, type TableFile } from "./tableFile";

/** In characters: a longer row means a missing quotation mark. */
const LONGEST_ROW = 4_000_000;

/** In characters: the sampling interval for long runs of blanks. */
const SAMPLED_EACH = 500;
/** Processed in about a second. */
const MOST_BLANKS = 200_000_000;

const ENCODING_NAMES: Readonly<Record<Encoding, string>> = {
  "utf-8": "UTF-8",
  "utf-16le": "UTF-16",
  "utf-16be": "UTF-16",
  "windows-1252": "Windows-1252",
};

/** Open a CSV file with any separator and encoding. */
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

/** Read a file's text in chunks, with line ends as `\n`, also within quotation marks. */
async function* linesOf(file: Blob, encoding: Encoding): AsyncGenerator<string> {
  let held = "";
  for await (const piece of textOf(file, encoding)) {
    const text = held + piece;
    // The other half of a line end may be in the next chunk.
    held = text.endsWith("\r") ? "\r" : "";
    const lines = text.slice(0, text.length - held.length).replaceAll(/\r\n?/g, "\n");
    requireFewBlanks(lines);
    yield lines;
  }
  if (held !== "") yield "\n";
}

/**
 * Refuse text that the parser would process for minutes: at each quotation mark within a cell it scans the blanks before
 * the next separator.
 */
export function requireFewBlanks(text: string): void {
  let longest = 0;
  for (let at = 0; at < text.length; at += SAMPLED_EACH) {
    let end = at;
    while (text[end] !== "\n" && text[end]?.trim() === "") end += 1;
    longest = Math.max(longest, end - at);
    at = end;
  }
  if (longest > SAMPLED_EACH && longest * (text.match(/"/g)?.length ?? 0) > MOST_BLANKS) {
    throw tooLarge("it has long runs of blanks beside many quotation marks");
  }
}

/** Split text into rows. An incomplete row at the end of a chunk is parsed again with the next chunk. */
async function* rowsOf(pieces: AsyncGenerator<string>, separator: string): AsyncGenerator<readonly Row[]> {
  let rest = "";
  let number = 0;
  let isBeginning = true;
  for await (const piece of pieces) {
    rest += piece;
    if (isBeginning) {
      const stated = separatorLine(rest);
      if (stated) {
        rest = rest.slice(stated.line.length);
        number += 1;
      }
      isBeginning = rest === "";
    }
    const { records, end } = parse(rest, separator);
    // The last record may continue in the next chunk.
    const complete = records.slice(0, -1);
    rest = rest.slice(end);
    if (rest.length > LONGEST_ROW) throw missingMark(number + complete.length + 1);
    yield numbered(complete, number);
    number += complete.length;
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
  /** Start of the last record. */
  end: number;
  /** The last record has an unclosed quotation mark. */
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
    `A quotation mark in row ${row} is not closed: the rest of the file cannot be read.`,
  );
}

/** The possible separators, the most likely first. */
const SEPARATORS = [",", ";", "\t", "|"] as const;

const SEPARATOR_NAMES: Readonly<Record<string, string>> = {
  ",": "commas",
  ";": "semicolons",
  "\t": "tabs",
  "|": "bars",
};

/** Excel's line before the header that names the separator. */
const STATED = /^sep=(.)\n/i;

/** Return the first line if it names the separator. */
function separatorLine(text: string): { line: string; separator: string } | undefined {
  const [line, separator] = STATED.exec(text) ?? [];
  return line === undefined || separator === undefined ? undefined : { line, separator };
}

/**
 * Detect the separator: the one that splits the header into the most columns with correct quotation marks.
 * @param text the beginning of the file, with line ends as `\n`.
 */
export function recogniseSeparator(text: string): string {
  const stated = separatorLine(text);
  if (stated) return stated.separator;
  const header = text.trimStart();
  const tried = SEPARATORS.map((separator) => {
    const { data, errors } = Papa.parse<string[]>(header, {
      delimiter: separator,
      newline: "\n",
      preview: 1,
    });
    return { separator, columns: errors.length > 0 ? 0 : (data[0]?.length ?? 0) };
  });
  const best = tried.reduce((one, other) => (other.columns > one.columns ? other : one));
  return best.separator;
}
