import type { TableFile } from "../tableFile";
import { openArchive } from "./archive";
import { sheetRows } from "./sheet";
import { readWorkbook } from "./workbook";

/** Open an XLSX file. Rows are read while unpacking. */
export async function openXlsx(file: Blob): Promise<TableFile> {
  const archive = await openArchive(file);
  const workbook = await readWorkbook(archive);
  return {
    description: "XLSX",
    sheets: workbook.sheets.map(({ name }) => name),
    rows: (sheet) => sheetRows(archive.text(workbook.sheets[sheet]?.path ?? ""), workbook),
  };
}
