import { formatDate } from "@/shared/format/DateText";

/** How many days ahead what ends soon is looked for. */
const AHEAD = [7, 30, 90] as const;
const EXPIRED = "expired";
const RANGE = /^([^.]*)\.\.([^.]*)$/;
const DAY_MS = 24 * 60 * 60 * 1000;

/** Days from one to another, both included; empty where it is open to that side. */
export interface DayRange {
  from: string;
  to: string;
}

/** What to choose from: what is over, and what ends soon. */
export const DAY_CHOICES: readonly string[] = [EXPIRED, ...AHEAD.map(String)];

export function isDay(text: string): boolean {
  return /^\d{4}-\d{2}-\d{2}$/.test(text) && !Number.isNaN(Date.parse(text));
}

/** Today by the reader's calendar. */
export function today(now = new Date()): string {
  const two = (part: number) => String(part).padStart(2, "0");
  return `${now.getFullYear()}-${two(now.getMonth() + 1)}-${two(now.getDate())}`;
}

/** The days that `FROM..TO` asks for, of which one may be missing; undefined where it is no range. */
export function rangeOf(wanted: string): DayRange | undefined {
  const [, from = "", to = ""] = RANGE.exec(wanted) ?? [];
  const isGiven = (day: string) => day === "" || isDay(day);
  return from + to !== "" && isGiven(from) && isGiven(to) ? { from, to } : undefined;
}

/** A range as the address has it; empty where it is open to both sides. */
export function rangeText({ from, to }: DayRange): string {
  return from + to === "" ? "" : `${from}..${to}`;
}

/** Whether a text asks for days: `expired`, a number of days ahead, or a range. */
export function asksForDays(wanted: string): boolean {
  return DAY_CHOICES.includes(wanted) || rangeOf(wanted) !== undefined;
}

/**
 * Whether a day is among those asked for. What is good up to a day has expired when that day is over, and ends
 * within a number of days when that day is today or one of the next; no day at all is among none.
 */
export function isAmong(day: string, wanted: string, now: string): boolean {
  if (!isDay(day)) return false;
  const { from, to } = rangeAt(wanted, now);
  // Days are written so that their order is that of their texts.
  return (from === "" || day >= from) && (to === "" || day <= to);
}

/** The days that are asked for, as of a day. */
export function rangeAt(wanted: string, now: string): DayRange {
  if (wanted === EXPIRED) return { from: "", to: daysAfter(now, -1) };
  return rangeOf(wanted) ?? { from: now, to: daysAfter(now, Number(wanted)) };
}

/** What days are asked for, as people read it. */
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
