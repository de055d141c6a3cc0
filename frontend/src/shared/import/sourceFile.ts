import { sha256 } from "@noble/hashes/sha2.js";
import { bytesToHex } from "@noble/hashes/utils.js";
import { type DateOrder, withDate } from "./dates";
import { UnreadableFile } from "./parsers/errors";
import { openTable } from "./parsers/openTable";
import { bytesOf, isBlank, type Row, type TableFile } from "./parsers/tableFile";

/** A chosen file. */
export interface SourceFile {
  name: string;
  table: TableFile;
  /** SHA-256. */
  source: string;
}

/** A sheet that was read once. */
export interface SourceSheet {
  sheet: number;
  /** The row with the column names. */
  header: Row;
  /** Number of rows below it that are not blank. */
  count: number;
  /** The first of these rows, as examples. */
  sample: readonly Row[];
  /** Dates by column that show their order. */
  dates: readonly (DateOrder | undefined)[];
}

const SAMPLE = 3;

export async function openFile(file: File): Promise<SourceFile> {
  const table = await openTable(file);
  return { name: file.name, table, source: await hashOf(file) };
}

/** Read a sheet to its end, so that an unreadable file is refused before anything is sent. */
export async function openSheet(table: TableFile, sheet: number): Promise<SourceSheet> {
  let header: Row | undefined;
  let count = 0;
  const sample: Row[] = [];
  const dates: (DateOrder | undefined)[] = [];
  for await (const rows of table.rows(sheet)) {
    for (const row of rows) {
      if (header === undefined) {
        header = row;
        continue;
      }
      count += 1;
      for (const [index, cell] of row.cells.entries()) {
        if (cell.length > 7 && index < header.cells.length) dates[index] = withDate(cell, dates[index]);
      }
      if (sample.length < SAMPLE) sample.push(row);
    }
  }
  if (header === undefined || isBlank(header.cells)) throw new UnreadableFile("This file has no data.");
  if (count === 0) throw new UnreadableFile("This file has no rows below the column names.");
  return { sheet, header, count, sample, dates };
}

/** Return a file's SHA-256. The browser's own digest needs the whole file in memory, and a secure origin. */
async function hashOf(file: Blob): Promise<string> {
  const hash = sha256.create();
  for await (const bytes of bytesOf(file)) hash.update(bytes);
  return bytesToHex(hash.digest());
}
