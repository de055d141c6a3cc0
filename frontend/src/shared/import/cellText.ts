import { isNumeric } from "@/shared/form/numberText";
import type { FieldDeclaration } from "@/shared/records/fields";
import { unguarded } from "@/shared/table/csvLine";
import { plain } from "./targets";

/** How a file's texts are to be taken where they can be taken in two ways. */
export interface Reading {
  /** An empty cell empties the field; otherwise it says nothing of it. */
  emptiesFields: boolean;
  /** 03/04/2026 is the 4th of March, and not the 3rd of April. */
  isMonthFirst: boolean;
}

/** A cell's text as the form would have it typed. */
export function typedText(cell: string, field: FieldDeclaration | undefined, reading: Reading): string {
  const text = unguarded(cell).trim();
  if (field?.choices) return field.choices.find((choice) => plain(choice) === plain(text)) ?? text;
  if (field?.kind === "date") return dayText(text, reading.isMonthFirst);
  if (field?.kind === "number") return numberText(text);
  return text;
}

/** What spreadsheets show where a formula failed. */
export function isSpreadsheetError(text: string): boolean {
  return /^#(?:N\/A|REF!|VALUE!|DIV\/0!|NAME\?|NUM!|NULL!|SPILL!|CALC!)$/.test(text);
}

const ISO = /^(\d{4})[-./](\d{1,2})[-./](\d{1,2})(?:[T ]00:00(?::00(?:\.0+)?)?Z?)?$/;
const DAY_LAST = /^(\d{1,2})([-./])(\d{1,2})\2(\d{4})$/;

/** A day as the form has it, `2026-11-25`; text that is none is left to the server to refuse. */
function dayText(text: string, isMonthFirst: boolean): string {
  const [, year, month, day] = ISO.exec(text) ?? [];
  if (year && month && day) return joined(year, month, day);
  const [, first, separator, second, end] = DAY_LAST.exec(text) ?? [];
  if (!first || !second || !end) return text;
  // With dots it is always the day that is first.
  return isMonthFirst && separator !== "." ? joined(end, first, second) : joined(end, second, first);
}

function joined(year: string, month: string, day: string): string {
  return `${year}-${month.padStart(2, "0")}-${day.padStart(2, "0")}`;
}

/** `12,5` is a number, too; `1,234` may be two numbers, and is left to be refused. */
function numberText(text: string): string {
  return !isNumeric(text) && /^[+-]?\d+,(?:\d{1,2}|\d{4,})$/.test(text) ? text.replace(",", ".") : text;
}
