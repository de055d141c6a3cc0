import { toLocal } from "@/shared/asOf/asOf";
import { ERASED_TEXT, HIDDEN_TEXT } from "@/shared/ui";
import { type DataColumn, readerOf } from "./columns";
import { csvLine } from "./csvLine";

/** Tells spreadsheets that the text is UTF-8. */
const BYTE_ORDER_MARK = "\uFEFF";

/** A table as a CSV file (RFC 4180): a record of headers, then one record per row, values as text. */
export function toCsv<Row>(columns: readonly DataColumn<Row>[], rows: readonly Row[]): string {
  const texts = columns.map(textOf);
  const records = [columns.map(({ header }) => header), ...rows.map((row) => texts.map((text) => text(row)))];
  return BYTE_ORDER_MARK + records.map(csvLine).join("");
}

/** Reads what a column says of a row. */
function textOf<Row>(column: DataColumn<Row>): (row: Row) => string {
  const value = readerOf(column);
  return (row) => {
    const why = column.isHidden?.(row);
    if (why) return why === "erased" ? ERASED_TEXT : HIDDEN_TEXT;
    return String(value(row) ?? "");
  };
}

/** `drivers` → `drivers-2026-11-21.csv`, by the reader's own calendar. */
export function csvFileName(name: string, day: Date): string {
  return `${name}-${toLocal(day).date}.csv`;
}
