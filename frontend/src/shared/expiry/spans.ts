import { dayIn, EXPIRING_SOON_DAYS } from "./expiry";

/** A range of days, both included; open at the start without `from`. */
export interface Span {
  from?: string | undefined;
  until: string;
}

/** The span of documents that expired before today. */
export function expiredBefore(now: Date): Span {
  return { until: dayIn(-1, now) };
}

/** The span of documents that expire between today and a number of days from now. */
export function expiringWithin(days: number, now: Date): Span {
  return { from: dayIn(0, now), until: dayIn(days, now) };
}

/** The span that the drivers' figures count. */
export function expiringSoon(now: Date): Span {
  return expiringWithin(EXPIRING_SOON_DAYS, now);
}

/** Return the path of the API's list of licences and passports by last day, for a span. */
export function duePath({ from, until }: Span, document = ""): string {
  const asked = new URLSearchParams(from === undefined ? { until } : { from, until });
  if (document !== "") asked.set("document", document);
  return `/api/v1/due-dates?${asked}`;
}
