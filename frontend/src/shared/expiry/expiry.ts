import { toLocal } from "@/shared/asOf/asOf";
import { isDay } from "@/shared/format/DateText";

/** Days before its end in which a document counts as expiring soon (spec.md: constants). */
export const EXPIRING_SOON_DAYS = 30;

const DAY = 24 * 60 * 60 * 1000;

export type Expiry = "expired" | "expiring" | "valid" | "unknown";

/**
 * Return the days left until a document's last day (`YYYY-MM-DD`) by the reader's calendar: 0 on that day, negative
 * once expired; undefined for an invalid day. Calendar days are counted instead of hours, so that neither the time of
 * day nor a clock change moves the result.
 */
export function daysLeft(validUpTo: string, now: Date): number | undefined {
  return isDay(validUpTo) ? (Date.parse(validUpTo) - Date.parse(dayIn(0, now))) / DAY : undefined;
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
