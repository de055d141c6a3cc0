import type { TableFile } from "../tableFile";
import { openArchive } from "./archive";
import { sheetRows } from "./sheet";
import { readWorkbook } from "./workbook";

/** Opens an XLSX file. Its rows come as they are unpacked. */
export async function openXlsx(file: Blob): Promise<TableFile> {
  const archive = await openArchive(file);
  const workbook = await readWorkbook(archive);
  return {
    description: "XLSX",
    sheets: workbook.sheets.map(({ name }) => name),
    rows: (sheet) => sheetRows(archive.text(workbook.sheets[sheet]?.path ?? ""), workbook),
  };
}
