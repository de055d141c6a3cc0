const ISO = /^(\d{4})(?:[-./](\d{1,2})[-./](\d{1,2})|(\d\d)(\d\d))$/;
const DAY_LAST = /^(\d{1,2})([-./ ])(\d{1,2})\2(\d{4}|\d{2})$/;
const NAMED = /^(\d{1,2})(?:st|nd|rd|th)?[-./ ]*([a-z]{3,9})[-., /]*(\d{4}|\d{2})$/;
const NAMED_FIRST = /^([a-z]{3,9})[-./ ]*(\d{1,2})(?:st|nd|rd|th)?[-., /]+(\d{4}|\d{2})$/;
const WEEKDAY = /^(?:mon|tue|wed|thu|fri|sat|sun)[a-z]{0,6}[,. ]+/;
const MIDNIGHT = /[T ](?:0?0:00(?::00(?:\.0{1,9})?)?|12:00(?::00)? ?am)(?: ?Z|[+-]\d\d:?\d\d)?$/i;
/** Spreadsheets number days from 1899-12-30; other numbers are not dates. */
const SERIAL = /^[1-9]\d{4}(?:\.0+)?$/;
const FIRST_SERIAL_DAY = Date.UTC(1899, 11, 30);
const DAY = 86_400_000;

const MONTHS = [
  "january",
  "february",
  "march",
  "april",
  "may",
  "june",
  "july",
  "august",
  "september",
  "october",
  "november",
  "december",
];

/** A date of a cell: `2026-11-25`. */
export interface ReadDate {
  day: string;
  /** The year or the day number was completed. */
  isGuess: boolean;
}

/** Read a date in any common form; undefined if the text is not a date of the calendar. */
export function readDate(text: string, isMonthFirst: boolean): ReadDate | undefined {
  const plain = text.replace(MIDNIGHT, "").toLowerCase().replace(WEEKDAY, "");
  if (SERIAL.test(plain)) {
    const day = new Date(FIRST_SERIAL_DAY + Number(plain) * DAY).toISOString().slice(0, 10);
    return { day, isGuess: true };
  }
  const [year = "", month = "", day = ""] = partsOf(plain, isMonthFirst);
  const full = year.length === 2 ? (Number(year) < 50 ? `20${year}` : `19${year}`) : year;
  const joined = `${full}-${month.padStart(2, "0")}-${day.padStart(2, "0")}`;
  const moment = new Date(`${joined}T00:00:00Z`);
  const isDay = !Number.isNaN(moment.getTime()) && moment.toISOString().startsWith(joined);
  return isDay ? { day: joined, isGuess: year.length === 2 } : undefined;
}

function partsOf(text: string, isMonthFirst: boolean): readonly string[] {
  const [, year, month, day, compactMonth, compactDay] = ISO.exec(text) ?? [];
  if (year) return [year, month ?? compactMonth ?? "", day ?? compactDay ?? ""];
  const [, first, separator, second, end] = DAY_LAST.exec(text) ?? [];
  // With dots, the day is always first.
  if (first && second && end)
    return isMonthFirst && separator !== "." ? [end, first, second] : [end, second, first];
  const [, before, name, after] = NAMED.exec(text) ?? [];
  if (before && name && after) return [after, monthOf(name), before];
  const [, named, at, last] = NAMED_FIRST.exec(text) ?? [];
  return named && at && last ? [last, monthOf(named), at] : [];
}

function monthOf(name: string): string {
  const index = MONTHS.findIndex(
    (month) => month.startsWith(name) || (name === "sept" && month === "september"),
  );
  return String(index + 1);
}

/** Dates of a column that show whether the day or the month is first. */
export interface DateOrder {
  /** The first dates that are valid either way. */
  either: readonly string[];
  /** A date whose second part is above 12. */
  month?: string;
  /** A date whose first part is above 12. */
  day?: string;
}

const EXAMPLES = 2;

/** Add a cell to the dates of its column. */
export function withDate(cell: string, before: DateOrder | undefined): DateOrder | undefined {
  if (cell.length > 40) return before;
  const text = cell.trim();
  const [, first, separator, second] = DAY_LAST.exec(text.replace(MIDNIGHT, "")) ?? [];
  if (first === undefined || separator === "." || first === second) return before;
  const order = before ?? { either: [] };
  const isDay = readDate(text, false) !== undefined;
  const isMonth = readDate(text, true) !== undefined;
  if (isDay && isMonth) {
    return order.either.length < EXAMPLES ? { ...order, either: [...order.either, text] } : order;
  }
  if (isMonth) return order.month === undefined ? { ...order, month: text } : order;
  return isDay && order.day === undefined ? { ...order, day: text } : before;
}

/** Return the columns whose dates have the month first: by their own dates, or by those of the other columns. */
export function monthFirstColumns(orders: readonly (DateOrder | undefined)[]): ReadonlySet<number> {
  const isUsual = orders.some((order) => order?.month) && !orders.some((order) => order?.day);
  return new Set(
    orders.flatMap((order, index) => (order && !order.day && (order.month ?? isUsual) ? index : [])),
  );
}
