import { openTable } from "../parsers/openTable";
import type { Row, TableFile } from "../parsers/tableFile";

/** Read all rows of a file that are not blank. */
export async function rowsIn(file: Blob, sheet = 0): Promise<readonly Row[]> {
  return rowsOf(await openTable(file), sheet);
}

export async function rowsOf(table: TableFile, sheet = 0): Promise<readonly Row[]> {
  const all: Row[] = [];
  for await (const rows of table.rows(sheet)) all.push(...rows);
  return all;
}

export async function cellsIn(file: Blob, sheet = 0): Promise<readonly (readonly string[])[]> {
  return (await rowsIn(file, sheet)).map(({ cells }) => cells);
}
