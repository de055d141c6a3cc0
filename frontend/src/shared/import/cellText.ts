import type { DateReading } from "@/shared/form/dayText";
import { isNumeric } from "@/shared/form/numberText";
import { withoutInvisible } from "@/shared/format/controls";
import type { FieldDeclaration } from "@/shared/records/fields";
import { unguarded } from "@/shared/table/csvLine";
import { readDate } from "./dates";
import { plain } from "./targets";

/** How to read ambiguous cells. */
export interface Reading {
  /** A blank cell clears the field; otherwise the field is kept. */
  clearsFields: boolean;
  /** Columns where 03/04/2026 is the 4th of March, not the 3rd of April. */
  monthFirst: ReadonlySet<number>;
}

/** A cell as typed into the form. */
export interface TypedText {
  text: string;
  /** Why the cell is refused. */
  problem?: string;
  /** Why the cell may differ from its source. */
  warning?: string;
}

/**
 * Convert a cell to text as typed into the form.
 * @param stored the number in the cell, where it shows another text.
 */
export function typedText(
  cell: string,
  field: FieldDeclaration | undefined,
  isMonthFirst: boolean,
  stored?: string,
): TypedText {
  const text = withoutInvisible(unmarked(cell)).trim();
  if (isSpreadsheetError(text)) return { text, problem: `The spreadsheet shows an error here: ${text}` };
  if (field?.choices) return { text: field.choices.find((choice) => plain(choice) === plain(text)) ?? text };
  if (field?.kind === "date" && text !== "") return dayText(text, { isMonthFirst, expires: field.expires });
  if (field?.kind === "number") return { text: numberText(stored ?? text) };
  return withDoubt(fullDigits(text), stored);
}

/** Remove the marks that make a spreadsheet show a text unchanged: `'=A1`, `'+91 98`, `="0011"`. */
function unmarked(cell: string): string {
  const text = unguarded(cell);
  if (text !== cell) return text;
  const [, quoted] = /^\s*="((?:[^"]|"")*)"\s*$/.exec(cell) ?? [];
  if (quoted !== undefined) return quoted.replaceAll('""', '"');
  // Fewer digits may be a name's own apostrophe.
  return /^'\+?(?:\d[ ()./-]{0,3}){7,40}$/.test(cell) ? cell.slice(1) : cell;
}

/** Return whether a cell has a spreadsheet's error value. */
export function isSpreadsheetError(text: string): boolean {
  return /^#(?:N\/A|REF!|VALUE!|DIV\/0!|NAME\?|NUM!|NULL!|SPILL!|CALC!)$/.test(text);
}

function dayText(text: string, reading: DateReading): TypedText {
  const date = readDate(text, reading);
  if (date === undefined) return { text, problem: `${text} is not a date` };
  return date.isGuess ? { text: date.day, warning: `${text} was read as ${date.day}` } : { text: date.day };
}

/** Accept a decimal comma (`12,5`), and remove noise of binary fractions; `1,234` is ambiguous: the server refuses it. */
function numberText(text: string): string {
  if (isNumeric(text)) {
    const digits = text.replace(/^[+-]?0*\.?0*/, "").replace(".", "");
    return text.includes(".") && /^\d{16,}$/.test(digits)
      ? String(Number(Number(text).toPrecision(15)))
      : text;
  }
  return /^[+-]?\d+,(?:\d{1,2}|\d{4,})$/.test(text) ? text.replace(",", ".") : text;
}

const SCIENTIFIC = /^([+-]?\d)(?:[.,](\d{1,30}))?E\+(\d{1,3})$/i;

/** Write a number in scientific notation in full if it has all digits: `9.1987E+4` → `91987`. */
function fullDigits(text: string): string {
  const [, first = "", decimals = "", exponent = ""] = SCIENTIFIC.exec(text) ?? [];
  return first !== "" && decimals.length === Number(exponent) ? first + decimals : text;
}

/** Add a warning to a text that has lost digits or characters. */
function withDoubt(text: string, stored: string | undefined): TypedText {
  if (SCIENTIFIC.test(text)) return { text, warning: `${text} has lost digits in a spreadsheet` };
  const digits = stored ?? text.replaceAll(/[ -]/g, "");
  if (/^-?\d{16,}$/.test(digits) && (stored !== undefined || /^\d{15}0+$/.test(digits.replace(/^0+/, "")))) {
    return { text, warning: `${text} has more than 15 digits: a spreadsheet may have changed the last ones` };
  }
  if (text.includes("\uFFFD")) return { text, warning: `${text} has a character that cannot be read` };
  return { text };
}
