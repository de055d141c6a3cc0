import { toLocal } from "@/shared/asOf/localTime";
import { ERASED_TEXT, HIDDEN_TEXT } from "@/shared/ui";
import { type DataColumn, readerOf } from "./columns";

/** Tells spreadsheets that the text is UTF-8. */
const BYTE_ORDER_MARK = "\uFEFF";
const END_OF_RECORD = "\r\n";

// The last are as wide as Chinese characters.
const STARTS_A_FORMULA = /^[=@\t\r\n+\-\uFF1D\uFF0B\uFF0D\uFF20]/;
/** Phone numbers and negative numbers, which no spreadsheet takes for more than that. */
const SIGNED_NUMBER = /^[+-][\d .,]*$/;
const NEEDS_QUOTES = /[",\r\n]/;

/** A table as a CSV file (RFC 4180): a record of headers, then one record per row, values as text. */
export function toCsv<Row>(columns: readonly DataColumn<Row>[], rows: readonly Row[]): string {
  const texts = columns.map(textOf);
  const records = [columns.map(({ header }) => header), ...rows.map((row) => texts.map((text) => text(row)))];
  const lines = records.map((cells) => cells.map(cellText).join(",") + END_OF_RECORD);
  return BYTE_ORDER_MARK + lines.join("");
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

function cellText(value: string): string {
  const text = harmless(value);
  return NEEDS_QUOTES.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** A text that a spreadsheet shows instead of running it as a formula. */
function harmless(text: string): string {
  return STARTS_A_FORMULA.test(text) && !SIGNED_NUMBER.test(text) ? `'${text}` : text;
}

/** What was written as {@link harmless}, as it was before. */
export function unguarded(text: string): string {
  return text.startsWith("'") && harmless(text.slice(1)) === text ? text.slice(1) : text;
}
