import { toLocal } from "@/shared/asOf/asOf";

/** How long before its end a document counts as expiring soon (product.md: constants). */
export const EXPIRING_SOON_DAYS = 30;

const DAY = 24 * 60 * 60 * 1000;
const DATE = /^(\d{4})-(\d{2})-(\d{2})$/;

export type Expiry = "expired" | "expiring" | "valid" | "unknown";

/**
 * How many days there are until the last day of a document (`YYYY-MM-DD`), by the reader's calendar: 0 on that day,
 * on the whole of which it is good; negative when it has expired; undefined where there is no such day.
 *
 * Days are counted on the calendar, not in hours, so that neither the time of day nor a clock change moves the border.
 */
export function daysLeft(validUpTo: string, now: Date): number | undefined {
  const match = DATE.exec(validUpTo);
  if (!match) return undefined;
  const [year, month, day] = match.slice(1).map(Number) as [number, number, number];
  const today = Date.UTC(now.getFullYear(), now.getMonth(), now.getDate());
  return (Date.UTC(year, month - 1, day) - today) / DAY;
}

/** What a document is worth: it is expiring soon when its last day is today or one of the next 30. */
export function expiryOf(validUpTo: string, now: Date): Expiry {
  const left = daysLeft(validUpTo, now);
  if (left === undefined) return "unknown";
  if (left < 0) return "expired";
  return left <= EXPIRING_SOON_DAYS ? "expiring" : "valid";
}

/** The day (`YYYY-MM-DD`) so many days from now, by the reader's calendar. */
export function dayIn(days: number, now: Date): string {
  return toLocal(new Date(now.getFullYear(), now.getMonth(), now.getDate() + days)).date;
}
