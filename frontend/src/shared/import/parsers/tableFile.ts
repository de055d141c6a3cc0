/** Further columns are ignored: XLSX files have them where whole rows are formatted. */
export const MOST_COLUMNS = 500;

/** A row of a file. */
export interface Row {
  /** The spreadsheet's row number, from 1. */
  number: number;
  cells: readonly string[];
}

/** A table in a file. Each pass reads the file again, so that only a part is in memory. */
export interface TableFile {
  /** The detected format. */
  description: string;
  /** Names of the sheets. */
  sheets: readonly string[];
  /** Read all rows that are not blank, in parts; throws `UnreadableFile`. */
  rows(sheet: number): AsyncGenerator<readonly Row[]>;
}

export function isBlank(cells: readonly string[]): boolean {
  return cells.every((cell) => cell.trim() === "");
}
