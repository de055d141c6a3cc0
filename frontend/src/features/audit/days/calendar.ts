import { microseconds, toLocal } from "@/shared/asOf/asOf";
import type { AuditFilters } from "../filters";
import { startOf } from "../localTimes";

/* Days are `YYYY-MM-DD` in the browser's time zone. */

/** The number of days shown, unless the chosen period begins earlier. */
const USUAL = 91;
/** The API's limit. */
const MOST = 400;
const DAY = 24 * 60 * 60 * 1000;

/** Indexes of the first and the last chosen day. */
export type Stretch = readonly [first: number, last: number];

/** The days shown: up to the day in view, and back to the start of the chosen period within the limit. */
export function daysShown({ from, to }: AuditFilters, now: Date): readonly string[] {
  const today = toLocal(now).date;
  const start = dayAt(from);
  const end = dayAt(to, -1);
  // A period that begins too early to reach today is shown without today.
  const isFar = start !== undefined && between(start, today) >= MOST;
  const last = isFar ? earliest(today, end ?? today, moved(start, MOST - 1)) : today;
  const needed = start === undefined ? USUAL : Math.max(USUAL, between(start, last) + 1);
  const count = Math.min(MOST, needed);
  return Array.from({ length: count }, (_, index) => moved(last, index + 1 - count));
}

/** The days that the filters choose; undefined without a period. */
export function chosenOf({ from, to }: AuditFilters, days: readonly string[]): Stretch | undefined {
  if (from === "" && to === "") return undefined;
  const last = days.length - 1;
  const place = (day: string | undefined, otherwise: number) =>
    day === undefined ? otherwise : Math.min(last, Math.max(0, between(days[0] ?? day, day)));
  const first = place(dayAt(from), 0);
  return [first, Math.max(first, place(dayAt(to, -1), last))];
}

/** The filters for a period; one that ends with the last day shown is open-ended. */
export function timesOf([first, last]: Stretch, days: readonly string[]): Pick<AuditFilters, "from" | "to"> {
  const midnight = (day: string | undefined) => (day === undefined ? "" : startOf(`${day}T00:00`));
  return {
    from: midnight(days[first]),
    to: last >= days.length - 1 ? "" : midnight(days[last + 1]),
  };
}

/** @param microsecond -1 for an exclusive end. */
function dayAt(instant: string, microsecond = 0): string | undefined {
  const at = (microseconds(instant) + microsecond) / 1000;
  return Number.isNaN(at) ? undefined : toLocal(new Date(at)).date;
}

function moved(day: string, by: number): string {
  return new Date(Date.parse(day) + by * DAY).toISOString().slice(0, 10);
}

function between(day: string, later: string): number {
  return Math.round((Date.parse(later) - Date.parse(day)) / DAY);
}

function earliest(...days: readonly string[]): string {
  return days.reduce((one, other) => (one < other ? one : other));
}
