import { withoutControls } from "../format/controls.ts";

// The last four are full-width forms.
const STARTS_A_FORMULA = /^[=@\t\r\n+\-\uFF1D\uFF0B\uFF0D\uFF20]/;
/** Phone numbers and signed numbers, which spreadsheets do not evaluate; `-E5` is a formula. */
const SIGNED_NUMBER = /^[+-][\d .,]*(?:\d[eE][+-]?\d+)?$/;
const NEEDS_QUOTES = /[",\r\n]/;
/** An empty line would be no record. */
const EMPTY_CELL = '""';

/** Format cells as a line of a CSV file (RFC 4180), like the server (`ops/base/records/csv_lines.py`). */
export function csvLine(cells: readonly string[]): string {
  return `${cells.map(cellText).join(",") || EMPTY_CELL}\r\n`;
}

function cellText(value: string): string {
  const text = guarded(withoutControls(value));
  return NEEDS_QUOTES.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** Prefix text that a spreadsheet would run as a formula, or that has the prefix already. */
function guarded(text: string): string {
  return isFormula(text.replace(/^'+/, "")) ? `'${text}` : text;
}

function isFormula(text: string): boolean {
  return STARTS_A_FORMULA.test(text) && !SIGNED_NUMBER.test(text);
}

/** Remove the prefix of {@link guarded}. */
export function unguarded(text: string): string {
  return text.startsWith("'") && guarded(text) !== text ? text.slice(1) : text;
}
