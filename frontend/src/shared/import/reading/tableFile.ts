/** Further columns are no fields of ours: XLSX files have them where whole rows were formatted. */
export const MOST_COLUMNS = 500;

/** A row of a table in a file, as texts. */
export interface Row {
  /** As spreadsheets count: the first row is 1. */
  number: number;
  cells: readonly string[];
}

/** A table in a file: it is read anew each time it is gone through, so that no more of it is in memory than a part. */
export interface TableFile {
  /** How it was understood, for whoever wonders about it. */
  description: string;
  /** The sheets to choose from; one where there is no choice. */
  sheets: readonly string[];
  /** All rows that are not blank, in parts; it throws `UnreadableFile` where it cannot go on. */
  rows(sheet: number): AsyncGenerator<readonly Row[]>;
}

export function isBlank(cells: readonly string[]): boolean {
  return cells.every((cell) => cell.trim() === "");
}
