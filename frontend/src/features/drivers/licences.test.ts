import fc from "fast-check";
import { expect, test } from "vitest";
import { dayIn } from "@/shared/expiry/expiry";
import { countLicences } from "./licences";
import { emptyDriver } from "./testing/drivers";

const anyMoment = fc.date({ min: new Date(2000, 0, 1), max: new Date(2090, 0, 1), noInvalidDate: true });

test("active and expired drivers add up to the total, and those expiring soon are active", () => {
  fc.assert(
    fc.property(anyMoment, fc.array(fc.integer({ min: -60, max: 60 })), (now, offsets) => {
      const drivers = offsets.map((days) => ({ ...emptyDriver, licenseValidUpTo: dayIn(days, now) }));
      const counts = countLicences(drivers, now);
      expect(counts.total).toBe(offsets.length);
      expect(counts.active + counts.expired).toBe(counts.total);
      expect(counts.expired).toBe(offsets.filter((days) => days < 0).length);
      expect(counts.expiringSoon).toBe(offsets.filter((days) => days >= 0 && days <= 30).length);
    }),
  );
});
