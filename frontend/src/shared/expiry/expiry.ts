import { toLocal } from "@/shared/asOf/asOf";

/** Days before its end in which a document counts as expiring soon (spec.md: constants). */
export const EXPIRING_SOON_DAYS = 30;

const DAY = 24 * 60 * 60 * 1000;
const DATE = /^(\d{4})-(\d{2})-(\d{2})$/;

export type Expiry = "expired" | "expiring" | "valid" | "unknown";

/**
 * Return the days left until a document's last day (`YYYY-MM-DD`) by the reader's calendar: 0 on that day, negative
 * once expired; undefined for an invalid day. Calendar days are counted instead of hours, so that neither the time of
 * day nor a clock change moves the result.
 */
export function daysLeft(validUpTo: string, now: Date): number | undefined {
  const match = DATE.exec(validUpTo);
  if (!match) return undefined;
  const [year, month, day] = match.slice(1).map(Number) as [number, number, number];
  const today = Date.UTC(now.getFullYear(), now.getMonth(), now.getDate());
  return (Date.UTC(year, month - 1, day) - today) / DAY;
}

export function expiryOf(validUpTo: string, now: Date): Expiry {
  const left = daysLeft(validUpTo, now);
  if (left === undefined) return "unknown";
  if (left < 0) return "expired";
  return left <= EXPIRING_SOON_DAYS ? "expiring" : "valid";
}

/** Return the day (`YYYY-MM-DD`) a number of days from now, by the reader's calendar. */
export function dayIn(days: number, now: Date): string {
  return toLocal(new Date(now.getFullYear(), now.getMonth(), now.getDate() + days)).date;
}
