import Papa from "papaparse";
import { ENCODINGS, type Encoding, nonAsciiPart, POSSIBLE, recogniseEncoding, textOf } from "./encoding";
import { tooLarge, UnreadableFile } from "./errors";
import { type DoubtfulFormat, isBlank, MOST_COLUMNS, type Row, type TableFile } from "./tableFile";

/** In characters: a longer row means a missing quotation mark. */
const LONGEST_ROW = 4_000_000;

/** In characters: the sampling interval for long runs of blanks. */
const SAMPLED_EACH = 500;
/** Processed in about a second. */
const MOST_BLANKS = 200_000_000;

/**
 * Open a CSV file with any separator and encoding.
 * @param chosen by the user.
 */
export async function openCsv(
  file: Blob,
  chosen: Partial<Record<DoubtfulFormat["name"], string>> = {},
): Promise<TableFile> {
  const detected = await recogniseEncoding(file);
  const encoding = (chosen.encoding as Encoding | undefined) ?? detected.encoding;
  const beginning = (await linesOf(file, encoding).next()).value ?? "";
  const separators = possibleSeparators(beginning);
  const separator = chosen.separator ?? separators[0] ?? ",";
  const doubts: DoubtfulFormat[] = [];
  if (!detected.isCertain) doubts.push(await doubtfulEncoding(file, encoding, separator));
  if (separators.length > 1) {
    const options = separators.map((value) => ({
      value,
      label: SEPARATOR_NAMES[value] ?? value,
      sample: sampleOf(rowsAtStart(beginning, value)),
    }));
    doubts.push({ name: "separator", label: "Separator", value: separator, options });
  }
  return {
    description: `CSV, ${ENCODINGS[encoding]}, separated by ${SEPARATOR_NAMES[separator] ?? separator}`,
    sheets: ["CSV"],
    rows: () => rowsOf(linesOf(file, encoding), separator),
    isDelimited: true,
    doubts,
    reopen: (name, value) => openCsv(file, { ...chosen, [name]: value }),
  };
}

async function doubtfulEncoding(file: Blob, encoding: Encoding, separator: string): Promise<DoubtfulFormat> {
  const part = await nonAsciiPart(file);
  const options = POSSIBLE.map(async ([value, languages]) => {
    let text = "";
    for await (const piece of linesOf(part, value)) text += piece;
    const lines = text.split("\n").filter((line) => /[^\0-\x7F]/.test(line));
    const rows = lines.slice(0, SAMPLE_ROWS).map((line) => line.split(separator));
    const cells = rows.map((row) => row.filter((cell) => /[^\0-\x7F]/.test(cell)));
    return { value, label: `${ENCODINGS[value]} (${languages})`, sample: sampleOf(cells) };
  });
  return { name: "encoding", label: "Encoding", value: encoding, options: await Promise.all(options) };
}

const SAMPLE_ROWS = 2;
const SAMPLE_CELLS = 6;

function sampleOf(rows: readonly (readonly string[])[]): string {
  return rows
    .slice(0, SAMPLE_ROWS)
    .map((cells) =>
      cells
        .slice(0, SAMPLE_CELLS)
        .map((cell) => cell.trim())
        .join(" · "),
    )
    .join(" / ");
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
    throw tooLarge("it has long runs of blanks next to many quotation marks");
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
const SEPARATOR_NAMES: Readonly<Record<string, string>> = {
  ",": "commas",
  ";": "semicolons",
  "\t": "tabs",
  "|": "bars",
};

/** Excel's line before the header that names the separator; saving the file again quotes or extends the line. */
const STATED = /^[ \t]*(?:"sep=(\\t|.)"|sep=(\\t|.)|"?sep="?)[,;\t| ]*(?:\n|$)/i;

/** Return the first line if it names the separator. */
function separatorLine(text: string): { line: string; separator: string | undefined } | undefined {
  const [line, quoted, bare] = STATED.exec(text) ?? [];
  if (line === undefined) return undefined;
  const separator = quoted ?? bare;
  return { line, separator: separator === "\\t" ? "\t" : separator };
}

const TRIED_ROWS = 10;

/** Split the first rows of a file; empty if the header has incorrect quotation marks. */
function rowsAtStart(text: string, separator: string): readonly (readonly string[])[] {
  const header = text.slice(separatorLine(text)?.line.length ?? 0).trimStart();
  const { data, errors } = Papa.parse<string[]>(header, {
    delimiter: separator,
    newline: "\n",
    preview: TRIED_ROWS,
  });
  return errors.some(({ row }) => row === 0) ? [] : data;
}

/**
 * Return the possible separators, the most likely first: the one that splits most of the first rows like the header, then
 * the one with the most columns.
 * @param text the beginning of the file, with line ends as `\n`.
 */
export function possibleSeparators(text: string): readonly string[] {
  const stated = separatorLine(text)?.separator;
  if (stated !== undefined) return [stated];
  return Object.keys(SEPARATOR_NAMES)
    .map((separator) => {
      const rows = rowsAtStart(text, separator);
      const columns = rows[0]?.length ?? 0;
      return { separator, columns, alike: rows.filter(({ length }) => length === columns).length };
    })
    .filter(({ columns }) => columns > 1)
    .toSorted((one, other) => other.alike - one.alike || other.columns - one.columns)
    .map(({ separator }) => separator);
}
