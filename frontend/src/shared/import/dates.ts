import { type DateReading, NUMBERS, readDay } from "@/shared/form/dayText";

const MIDNIGHT = /[T ](?:0?0:00(?::00(?:\.0{1,9})?)?|12:00(?::00)? ?am)(?: ?Z|[+-]\d\d:?\d\d)?$/i;
/** Spreadsheets number days from 1899-12-30; other numbers are not dates. */
const SERIAL = /^[1-9]\d{4}(?:\.0+)?$/;
const FIRST_SERIAL_DAY = Date.UTC(1899, 11, 30);
const DAY = 86_400_000;

/** A date of a cell: `2026-11-25`. */
export interface ReadDate {
  day: string;
  /** The year or the day number was completed. */
  isGuess: boolean;
}

/** Read a date as a spreadsheet or a person writes it; undefined if the text is not a date of the calendar. */
export function readDate(text: string, reading: DateReading): ReadDate | undefined {
  const plain = text.replace(MIDNIGHT, "");
  if (SERIAL.test(plain)) {
    const day = new Date(FIRST_SERIAL_DAY + Number(plain) * DAY).toISOString().slice(0, 10);
    return { day, isGuess: true };
  }
  const day = readDay(plain, reading);
  return day === undefined ? undefined : { day, isGuess: !/\d{4}/.test(plain) };
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
  const [, first, separator, second] = NUMBERS.exec(text.replace(MIDNIGHT, "")) ?? [];
  if (first === undefined || separator === "." || first === second) return before;
  const order = before ?? { either: [] };
  const isDay = readDate(text, { isMonthFirst: false }) !== undefined;
  const isMonth = readDate(text, { isMonthFirst: true }) !== undefined;
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
