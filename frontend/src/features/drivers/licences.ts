/** How long before its end a licence counts as expiring soon (specification, section 9). */
export const EXPIRING_SOON_DAYS = 30;

const DAY = 24 * 60 * 60 * 1000;
const DATE = /^(\d{4})-(\d{2})-(\d{2})$/;

export type LicenceState = "expired" | "expiring" | "valid" | "unknown";

/** Whoever has a licence. */
export interface Licensed {
  licenseValidUpTo: string;
}

/**
 * What a licence that is valid up to `validUpTo` (`YYYY-MM-DD`) is worth at `now`.
 *
 * It is good on that whole day, so it has expired when that day is over by the reader's calendar,
 * and it is expiring soon when that day is today or one of the next 30. Days are counted on the
 * calendar, not in hours, so that neither the time of day nor a clock change moves the border.
 */
export function licenceState(validUpTo: string, now: Date): LicenceState {
  const match = DATE.exec(validUpTo);
  if (!match) {
    return "unknown";
  }
  const [year, month, day] = match.slice(1).map(Number) as [number, number, number];
  const today = Date.UTC(now.getFullYear(), now.getMonth(), now.getDate());
  const daysLeft = (Date.UTC(year, month - 1, day) - today) / DAY;
  if (daysLeft < 0) {
    return "expired";
  }
  return daysLeft <= EXPIRING_SOON_DAYS ? "expiring" : "valid";
}

/**
 * The figures on the list's cards.
 *
 * The specification does not say whom "Active Drivers" counts; here it is everyone who may drive
 * today, that is whose licence has not expired, so that active and expired add up to the total.
 */
export function countLicences(drivers: readonly Licensed[], now: Date) {
  const states = drivers.map((driver) => licenceState(driver.licenseValidUpTo, now));
  const expired = states.filter((state) => state === "expired").length;
  return {
    total: drivers.length,
    active: drivers.length - expired,
    expired,
    expiringSoon: states.filter((state) => state === "expiring").length,
  };
}
