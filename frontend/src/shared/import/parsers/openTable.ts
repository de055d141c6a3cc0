import { UnreadableFile } from "./errors";
import type { TableFile } from "./tableFile";

/** In bytes. */
const LARGEST = 200_000_000;

const ARCHIVE = [0x50, 0x4b, 0x03, 0x04];
const OLD_EXCEL = [0xd0, 0xcf, 0x11, 0xe0];

/** Open a table file by its first bytes, whatever its name; readers are loaded on demand. */
export async function openTable(file: Blob): Promise<TableFile> {
  if (file.size === 0) throw new UnreadableFile("This file is empty.");
  if (file.size > LARGEST)
    throw new UnreadableFile("This file is larger than 200 MB. Split it, and import the parts.");
  const head = new Uint8Array(await file.slice(0, 4).arrayBuffer());
  const begins = (bytes: readonly number[]) => bytes.every((byte, index) => head[index] === byte);
  if (begins(OLD_EXCEL)) {
    throw new UnreadableFile(
      "This is an old Excel format (.xls) or has a password. Save it as XLSX without a password, or as CSV.",
    );
  }
  if (begins(ARCHIVE)) return (await import("./xlsx/sheet")).openXlsx(file);
  return (await import("./csv")).openCsv(file);
}
