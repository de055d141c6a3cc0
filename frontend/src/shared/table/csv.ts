import { toLocal } from "@/shared/asOf/asOf";
import { ERASED_TEXT, HIDDEN_TEXT } from "@/shared/ui";
import { type DataColumn, readerOf } from "./columns";
import { csvLine } from "./csvLine";

/** Marks the text as UTF-8 for spreadsheets. */
export const BYTE_ORDER_MARK = "\uFEFF";

/** Format a table as CSV (RFC 4180): a record of headers, then a record per row. */
export function toCsv<Row>(columns: readonly DataColumn<Row>[], rows: readonly Row[]): string {
  const texts = columns.map(textOf);
  const records = [columns.map(({ header }) => header), ...rows.map((row) => texts.map((text) => text(row)))];
  return BYTE_ORDER_MARK + records.map(csvLine).join("");
}

function textOf<Row>(column: DataColumn<Row>): (row: Row) => string {
  const value = readerOf(column);
  return (row) => {
    const why = column.isHidden?.(row);
    if (why) return why === "erased" ? ERASED_TEXT : HIDDEN_TEXT;
    return String(value(row) ?? "");
  };
}

/** `drivers` → `drivers-2026-11-21.csv`, by the reader's calendar. */
export function csvFileName(name: string, day: Date): string {
  return `${name}-${toLocal(day).date}.csv`;
}

/** Download CSV text made by {@link toCsv}, in a file named after a list. */
export function saveCsv(name: string, text: string): void {
  saveFile(csvFileName(name, new Date()), text, "text/csv;charset=utf-8");
}

/** In milliseconds: long enough for the slowest browser to copy the file. */
const UNTIL_COPIED = 10_000;

/** Offer a file as a download. */
export function saveFile(name: string, content: BlobPart, type: string): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([content], { type }));
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), UNTIL_COPIED);
}
