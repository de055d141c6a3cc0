import { dayIn } from "@/shared/expiry/expiry";
import { formatDate, isDay } from "@/shared/format/DateText";

/** Offered spans, in days from today. */
const AHEAD = [7, 30, 90] as const;
const EXPIRED = "expired";
const RANGE = /^([^.]*)\.\.([^.]*)$/;
const DAY_MS = 24 * 60 * 60 * 1000;

/** A range of days, both included; an empty end is open. */
export interface DayRange {
  from: string;
  to: string;
}

/** The offered values: expired, and the spans. */
export const DAY_CHOICES: readonly string[] = [EXPIRED, ...AHEAD.map(String)];

/** Return today by the reader's calendar. */
export function today(now = new Date()): string {
  return dayIn(0, now);
}

/** Parse `FROM..TO`; either may be missing; undefined for any other text. */
export function rangeOf(wanted: string): DayRange | undefined {
  const [, from = "", to = ""] = RANGE.exec(wanted) ?? [];
  const isGiven = (day: string) => day === "" || isDay(day);
  return from + to !== "" && isGiven(from) && isGiven(to) ? { from, to } : undefined;
}

/** Format a range for the address; empty if both ends are open. */
export function rangeText({ from, to }: DayRange): string {
  return from + to === "" ? "" : `${from}..${to}`;
}

/** Return why the end of a range is refused: it is before the start. Either day may be empty. */
export function endProblem(from = "", to: string, label = "From"): string | undefined {
  return from !== "" && to !== "" && from > to ? `Must not be before ${label}.` : undefined;
}

/** Return whether a text filters by days: `expired`, a number of days, or a range. */
export function asksForDays(wanted: string): boolean {
  return DAY_CHOICES.includes(wanted) || rangeOf(wanted) !== undefined;
}

/**
 * Return whether a day passes a filter. A document has expired once its last day is over, and expires within N days if
 * its last day is today or one of the next N. An invalid day passes no filter.
 */
export function isAmong(day: string, wanted: string, now: string): boolean {
  if (!isDay(day)) return false;
  const { from, to } = rangeAt(wanted, now);
  // ISO days sort as text.
  return (from === "" || day >= from) && (to === "" || day <= to);
}

/** Convert a filter by days to a range, as of a day. */
export function rangeAt(wanted: string, now: string): DayRange {
  if (wanted === EXPIRED) return { from: "", to: daysAfter(now, -1) };
  return rangeOf(wanted) ?? { from: now, to: daysAfter(now, Number(wanted)) };
}

/** Format a filter by days for display. */
export function daysText(wanted: string): string {
  const range = rangeOf(wanted);
  if (range === undefined) return wanted === EXPIRED ? "expired" : `within ${wanted} days`;
  if (range.from === "") return `until ${formatDate(range.to)}`;
  if (range.to === "") return `from ${formatDate(range.from)}`;
  return `${formatDate(range.from)} – ${formatDate(range.to)}`;
}

function daysAfter(day: string, count: number): string {
  return new Date(Date.parse(day) + count * DAY_MS).toISOString().slice(0, 10);
}
