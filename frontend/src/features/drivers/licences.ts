import { expiryOf } from "@/shared/expiry/expiry";

/** Whoever has a licence. */
export interface Licensed {
  licenseValidUpTo: string;
}

/**
 * The figures on the list's cards.
 *
 * The specification does not say whom "Active Drivers" counts; here it is everyone who may drive
 * today, that is whose licence has not expired, so that active and expired add up to the total.
 */
export function countLicences(drivers: readonly Licensed[], now: Date) {
  const expiries = drivers.map((driver) => expiryOf(driver.licenseValidUpTo, now));
  const expired = expiries.filter((expiry) => expiry === "expired").length;
  return {
    total: drivers.length,
    active: drivers.length - expired,
    expired,
    expiringSoon: expiries.filter((expiry) => expiry === "expiring").length,
  };
}
