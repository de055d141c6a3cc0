import { hashOf } from "./reading/hash";
import { openTable } from "./reading/openTable";
import { isBlank, type Row, type TableFile } from "./reading/tableFile";
import { UnreadableFile } from "./reading/unreadable";

/** A file that has been chosen. */
export interface OpenedFile {
  name: string;
  table: TableFile;
  /** SHA-256. */
  source: string;
}

/** A sheet of it that has been gone through once. */
export interface OpenedSheet {
  sheet: number;
  /** The row that names the columns. */
  header: Row;
  /** Rows below it that are not blank. */
  count: number;
  /** The first of them, to show what columns hold. */
  sample: readonly Row[];
}

const SAMPLE = 3;

export async function openFile(file: File): Promise<OpenedFile> {
  const table = await openTable(file);
  return { name: file.name, table, source: await hashOf(file) };
}

/** Goes through a sheet: what cannot be read to its end is not begun. */
export async function openSheet(table: TableFile, sheet: number): Promise<OpenedSheet> {
  let header: Row | undefined;
  let count = 0;
  const sample: Row[] = [];
  for await (const rows of table.rows(sheet)) {
    for (const row of rows) {
      if (header === undefined) {
        header = row;
        continue;
      }
      count += 1;
      if (sample.length < SAMPLE) sample.push(row);
    }
  }
  if (header === undefined || isBlank(header.cells))
    throw new UnreadableFile("There is nothing in this file.");
  if (count === 0) throw new UnreadableFile("There are no rows below the names of the columns in this file.");
  return { sheet, header, count, sample };
}
