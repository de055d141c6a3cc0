import { isNumeric } from "@/shared/form/numberText";
import { withoutInvisible } from "@/shared/format/controls";
import type { FieldDeclaration } from "@/shared/records/fields";
import { unguarded } from "@/shared/table/csvLine";
import { plain } from "./targets";

/** How to read ambiguous cells. */
export interface Reading {
  /** A blank cell clears the field; otherwise the field is kept. */
  clearsFields: boolean;
  /** 03/04/2026 is the 4th of March, not the 3rd of April. */
  isMonthFirst: boolean;
}

/** Convert a cell to text as typed into the form. */
export function typedText(cell: string, field: FieldDeclaration | undefined, reading: Reading): string {
  const text = withoutInvisible(unguarded(cell)).trim();
  if (field?.choices) return field.choices.find((choice) => plain(choice) === plain(text)) ?? text;
  if (field?.kind === "date") return dayText(text, reading.isMonthFirst);
  if (field?.kind === "number") return numberText(text);
  return text;
}

/** Return whether a cell has a spreadsheet's error value. */
export function isSpreadsheetError(text: string): boolean {
  return /^#(?:N\/A|REF!|VALUE!|DIV\/0!|NAME\?|NUM!|NULL!|SPILL!|CALC!)$/.test(text);
}

const ISO = /^(\d{4})[-./](\d{1,2})[-./](\d{1,2})(?:[T ]00:00(?::00(?:\.0+)?)?Z?)?$/;
const DAY_LAST = /^(\d{1,2})([-./])(\d{1,2})\2(\d{4})$/;

/** Convert a date to `2026-11-25`; other text is returned for the server to refuse. */
function dayText(text: string, isMonthFirst: boolean): string {
  const [, year, month, day] = ISO.exec(text) ?? [];
  if (year && month && day) return joined(year, month, day);
  const [, first, separator, second, end] = DAY_LAST.exec(text) ?? [];
  if (!first || !second || !end) return text;
  // With dots, the day is always first.
  return isMonthFirst && separator !== "." ? joined(end, first, second) : joined(end, second, first);
}

function joined(year: string, month: string, day: string): string {
  return `${year}-${month.padStart(2, "0")}-${day.padStart(2, "0")}`;
}

/** Accept a decimal comma (`12,5`); `1,234` is ambiguous and returned for the server to refuse. */
function numberText(text: string): string {
  return !isNumeric(text) && /^[+-]?\d+,(?:\d{1,2}|\d{4,})$/.test(text) ? text.replace(",", ".") : text;
}
