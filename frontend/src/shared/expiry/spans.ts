import { dayIn, EXPIRING_SOON_DAYS } from "./expiry";

/** Licences and passports by their last days, as the API lists them. */
export const DUE_API = "/api/v1/due-dates";

/** Days, the first and the last included; without a first one, all until the last. */
export interface Span {
  from?: string | undefined;
  until: string;
}

/** What has expired before today. */
export function expiredBefore(now: Date): Span {
  return { until: dayIn(-1, now) };
}

/** What expires today or within some days, and has not yet. */
export function expiringWithin(days: number, now: Date): Span {
  return { from: dayIn(0, now), until: dayIn(days, now) };
}

/** As on the cards of drivers. */
export function expiringSoon(now: Date): Span {
  return expiringWithin(EXPIRING_SOON_DAYS, now);
}

/** Where the API has them. */
export function duePath({ from, until }: Span, document = ""): string {
  const asked = new URLSearchParams(from === undefined ? { until } : { from, until });
  if (document !== "") asked.set("document", document);
  return `${DUE_API}?${asked}`;
}
