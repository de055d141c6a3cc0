import { microseconds, toLocal } from "@/shared/asOf/asOf";
import type { AuditFilters } from "../filters";
import { startOf } from "../localTimes";

/* Days are `YYYY-MM-DD` by the reader's calendar. */

/** How many days are shown, unless what is chosen goes back further. */
const USUAL = 91;
/** The API's measure. */
const MOST = 400;
const DAY = 24 * 60 * 60 * 1000;

/** The first and the last of the days shown that are chosen, by their places. */
export type Stretch = readonly [first: number, last: number];

/** The days to be shown: up to the one in view, and back as far as is chosen and possible. */
export function daysShown({ from, to }: AuditFilters, now: Date): readonly string[] {
  const today = toLocal(now).date;
  const start = dayAt(from);
  const end = dayAt(to, -1);
  // Where what is chosen is long past, today is out of reach.
  const isFar = start !== undefined && between(start, today) >= MOST;
  const last = isFar ? earliest(today, end ?? today, moved(start, MOST - 1)) : today;
  const needed = start === undefined ? USUAL : Math.max(USUAL, between(start, last) + 1);
  const count = Math.min(MOST, needed);
  return Array.from({ length: count }, (_, index) => moved(last, index + 1 - count));
}

/** What of them the filters choose; undefined: all time. */
export function chosenOf({ from, to }: AuditFilters, days: readonly string[]): Stretch | undefined {
  if (from === "" && to === "") return undefined;
  const last = days.length - 1;
  const place = (day: string | undefined, otherwise: number) =>
    day === undefined ? otherwise : Math.min(last, Math.max(0, between(days[0] ?? day, day)));
  const first = place(dayAt(from), 0);
  return [first, Math.max(first, place(dayAt(to, -1), last))];
}

/** The filters that choose a stretch: up to the last day shown is up to whatever comes. */
export function timesOf([first, last]: Stretch, days: readonly string[]): Pick<AuditFilters, "from" | "to"> {
  const midnight = (day: string | undefined) => (day === undefined ? "" : startOf(`${day}T00:00`));
  return {
    from: midnight(days[first]),
    to: last >= days.length - 1 ? "" : midnight(days[last + 1]),
  };
}

/** @param microsecond -1 for the end of a stretch, which does not belong to it. */
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
