import { formatDate } from "@/shared/format/DateText";

const MONTHS = "jan feb mar apr may jun jul aug sep oct nov dec".split(" ");
const ISO = /^(\d{4})[-./](\d{1,2})[-./](\d{1,2})$/;
const NUMBERS = /^(\d{1,2})[-./ ](\d{1,2})[-./ ](\d{2}|\d{4})$/;
const DIGITS = /^(\d{2})(\d{2})(\d{4})$/;
const NAMED = /^(\d{1,2})[-./ ]*([a-z]{3,9})[-./, ]*(\d{2}|\d{4})$/;
const NAME_FIRST = /^([a-z]{3,9})[-./ ]*(\d{1,2})[-./, ]+(\d{2}|\d{4})$/;

/** Whether the browser's locale writes the month before the day, so that `03/04/2029` is ambiguous. */
const isMonthFirst = (): boolean =>
  new Intl.DateTimeFormat().formatToParts().find(({ type }) => type !== "literal")?.type === "month";

/** Return whether a text is a calendar day (`YYYY-MM-DD`). */
export function isDay(text: string): boolean {
  const moment = /^\d{4}-\d{2}-\d{2}$/.test(text) ? Date.parse(text) : Number.NaN;
  // Date.parse reads 2029-02-31 as 3 March in some browsers.
  return !Number.isNaN(moment) && new Date(moment).toISOString().startsWith(text);
}

/** Return the days (`YYYY-MM-DD`) that a typed date may mean: none if it is no date, two if it is ambiguous. */
export function daysOf(typed: string, monthFirst = isMonthFirst()): readonly string[] {
  const text = typed.trim().toLowerCase();
  const [, isoYear, isoMonth, isoDay] = ISO.exec(text) ?? [];
  if (isoYear) return existing([isoYear, isoMonth, isoDay]);
  const [, day, name = "", year] = NAMED.exec(text) ?? swapped(NAME_FIRST.exec(text)) ?? [];
  if (day) return existing([year, String(MONTHS.indexOf(name.slice(0, 3)) + 1), day]);
  const [, first, second, end] = NUMBERS.exec(text) ?? DIGITS.exec(text) ?? [];
  const dayFirst = existing([end, second, first]);
  const other = existing([end, first, second]);
  // A month-first date that cannot be day-first is unambiguous for those who write it so.
  return monthFirst ? [...new Set([...dayFirst, ...other])] : dayFirst;
}

/** Return why a text is no day; undefined for a day and for empty text. */
export function dayProblem(text: string): string | undefined {
  if (text.trim() === "" || isDay(text)) return undefined;
  const days = daysOf(text);
  if (days.length > 1) return `Choose ${days.map(formatDate).join(" or ")}.`;
  return `${text.trim()} is not a date. Enter a date such as 31 Dec 2029.`;
}

function swapped(match: RegExpExecArray | null) {
  return match && [match[0], match[2], match[1], match[3]];
}

function existing([year = "", month = "", day = ""]: readonly (string | undefined)[]): string[] {
  const date = `${year.padStart(4, "20")}-${month.padStart(2, "0")}-${day.padStart(2, "0")}`;
  return isDay(date) ? [date] : [];
}
