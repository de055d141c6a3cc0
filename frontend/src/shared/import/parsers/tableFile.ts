/** Further columns are ignored: XLSX files have them where whole rows are formatted. */
export const MOST_COLUMNS = 500;

/** A row of a file. */
export interface Row {
  /** The spreadsheet's row number, from 1. */
  number: number;
  cells: readonly string[];
  /** Stored numbers, by column, where the cell shows another text or has more digits than a spreadsheet keeps. */
  numbers?: ReadonlyMap<number, string>;
}

/** A property of a file that cannot be detected with certainty. */
export interface DoubtfulFormat {
  name: "encoding" | "separator";
  label: string;
  value: string;
  /** Possible values, with the first rows as they would be read. */
  options: readonly { value: string; label: string; sample: string }[];
}

/** A table in a file. Each pass reads the file again, so that only a part is in memory. */
export interface TableFile {
  /** The detected format. */
  description: string;
  /** Names of the sheets. */
  sheets: readonly string[];
  /** Read all rows that are not blank, in parts; throws `UnreadableFile`. */
  rows(sheet: number): AsyncGenerator<readonly Row[]>;
  /** Whether text with an unquoted separator shifts the cells after it. */
  isDelimited?: boolean;
  /** Properties for the user to choose. */
  doubts?: readonly DoubtfulFormat[];
  /** Open the file with another value of a doubtful property. */
  reopen?(name: DoubtfulFormat["name"], value: string): Promise<TableFile>;
}

export function isBlank(cells: readonly string[]): boolean {
  return cells.every((cell) => cell.trim() === "");
}

/** In bytes. */
const PIECE = 1 << 20;

/** Read a file in chunks. */
export async function* bytesOf(file: Blob): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  for (let start = 0; start < file.size; start += PIECE) {
    yield new Uint8Array(await file.slice(start, start + PIECE).arrayBuffer());
  }
}
