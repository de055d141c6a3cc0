import { formatDate, isDay } from "@/shared/format/DateText";

const MONTHS = "january february march april may june july august september october november december";
const ISO = /^(\d{4})(?:[-./](\d{1,2})[-./](\d{1,2})|(\d\d)(\d\d))$/;
const DIGITS = /^(\d\d)(\d\d)(\d{4})$/;
const NAMED = /^(\d{1,2})(?:st|nd|rd|th)?[-./ ]*([a-z]{3,9})[-., /]*(\d{4}|\d{2})$/;
const NAME_FIRST = /^([a-z]{3,9})[-./ ]*(\d{1,2})(?:st|nd|rd|th)?[-., /]+(\d{4}|\d{2})$/;
const WEEKDAY = /^(?:mon|tue|wed|thu|fri|sat|sun)[a-z]{0,6}[,. ]+/;

/** A date whose day or month is first. */
export const NUMBERS = /^(\d{1,2})([-./ ])(\d{1,2})\2(\d{4}|\d{2})$/;

/** Years that a year of two digits may be ahead: documents expire in the future, other dates rarely are. */
const AHEAD = 20;
const AHEAD_EXPIRY = 50;

/** How a date is to be read. */
export interface DateReading {
  /** The month is first in `03/04/2029`. */
  isMonthFirst?: boolean;
  /** It is the last day of a document. */
  expires?: boolean | undefined;
}

/** Read a date in any common form, by forms and imports alike; undefined if there is no such day. */
export function readDay(text: string, { isMonthFirst, expires }: DateReading): string | undefined {
  const [year = "", month = "", day = ""] = partsOf(
    text.trim().toLowerCase().replace(WEEKDAY, ""),
    isMonthFirst,
  );
  const full = year.length === 2 ? fullYear(Number(year), expires ? AHEAD_EXPIRY : AHEAD) : year;
  const read = `${full}-${month.padStart(2, "0")}-${day.padStart(2, "0")}`;
  return isDay(read) ? read : undefined;
}

/** Return the only year with these last two digits that is at most `ahead` years from now, and less than 100 before. */
function fullYear(lastDigits: number, ahead: number): number {
  const latest = new Date().getFullYear() + ahead;
  return latest - ((((latest - lastDigits) % 100) + 100) % 100);
}

function partsOf(text: string, isMonthFirst = false): readonly string[] {
  const [, year, month, day, compactMonth, compactDay] = ISO.exec(text) ?? [];
  const compact = [year, compactMonth, compactDay].join("-");
  if (year && (month || isDay(compact))) return [year, month ?? compactMonth ?? "", day ?? compactDay ?? ""];
  const [, first, separator, second, end] = NUMBERS.exec(text) ?? [];
  // With dots, the day is always first.
  if (first && second && end)
    return isMonthFirst && separator !== "." ? [end, first, second] : [end, second, first];
  const [, before, name, after] = NAMED.exec(text) ?? [];
  if (before && name && after) return [after, monthOf(name), before];
  const [, named, at, last] = NAME_FIRST.exec(text) ?? [];
  if (named && at && last) return [last, monthOf(named), at];
  return DIGITS.exec(text)?.slice(1).reverse() ?? [];
}

function monthOf(name: string): string {
  const known = name === "sept" ? "september" : name;
  return String(MONTHS.split(" ").findIndex((month) => month.startsWith(known)) + 1);
}

/** Whether the browser's locale writes the month before the day, so that `03/04/2029` is ambiguous. */
const isMonthFirstHere = (): boolean =>
  new Intl.DateTimeFormat().formatToParts().find(({ type }) => type !== "literal")?.type === "month";

/** Return the days (`YYYY-MM-DD`) that a typed date may mean: none if it is no date, two if it is ambiguous. */
export function daysOf(typed: string, expires?: boolean, monthFirst = isMonthFirstHere()): readonly string[] {
  // A month-first date that cannot be day-first is unambiguous.
  const orders = monthFirst ? [false, true] : [false];
  const days = orders.flatMap((isMonthFirst) => readDay(typed, { isMonthFirst, expires }) ?? []);
  return [...new Set(days)];
}

/** Return why a text is no day; undefined for a day and for empty text. */
export function dayProblem(text: string, expires?: boolean): string | undefined {
  if (text.trim() === "" || isDay(text)) return undefined;
  const days = daysOf(text, expires);
  if (days.length > 1) return `Choose ${days.map(formatDate).join(" or ")}.`;
  return `${text.trim()} is not a date. Enter a date such as 31 Dec 2029.`;
}
