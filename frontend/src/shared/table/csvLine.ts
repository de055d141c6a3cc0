import { withoutControls } from "../format/controls.ts";

// The last are as wide as Chinese characters.
const STARTS_A_FORMULA = /^[=@\t\r\n+\-\uFF1D\uFF0B\uFF0D\uFF20]/;
/** Phone numbers and signed numbers, which no spreadsheet takes for more than that; `-E5` is a formula. */
const SIGNED_NUMBER = /^[+-][\d .,]*(?:\d[eE][+-]?\d+)?$/;
const NEEDS_QUOTES = /[",\r\n]/;
/** Of one empty cell; a line without anything would be none. */
const NOTHING = '""';

/** Texts as a line of a CSV file (RFC 4180), as the server writes it, too (`ops/base/records/csv_lines.py`). */
export function csvLine(cells: readonly string[]): string {
  return `${cells.map(cellText).join(",") || NOTHING}\r\n`;
}

function cellText(value: string): string {
  const text = harmless(withoutControls(value));
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
