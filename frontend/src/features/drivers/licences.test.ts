import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { countLicences, licenceState } from "./licences";
import { emptyDriver } from "./testing/drivers";

/** The calendar day some days after a moment, by the clock on the wall. */
function dayAfter(moment: Date, days: number): string {
  const day = new Date(moment.getFullYear(), moment.getMonth(), moment.getDate() + days);
  const twoDigits = (number: number) => String(number).padStart(2, "0");
  return `${day.getFullYear()}-${twoDigits(day.getMonth() + 1)}-${twoDigits(day.getDate())}`;
}

const anyMoment = fc.date({ min: new Date(2000, 0, 1), max: new Date(2090, 0, 1), noInvalidDate: true });

describe("a licence", () => {
  test("is expired when its last day is over, whatever the time of day", () => {
    fc.assert(
      fc.property(anyMoment, fc.integer({ min: 1, max: 5000 }), (now, days) => {
        expect(licenceState(dayAfter(now, -days), now)).toBe("expired");
      }),
    );
  });

  test("is expiring soon on its last day and in the 30 days before it", () => {
    fc.assert(
      fc.property(anyMoment, fc.integer({ min: 0, max: 30 }), (now, days) => {
        expect(licenceState(dayAfter(now, days), now)).toBe("expiring");
      }),
    );
  });

  test("is valid when its last day is further away", () => {
    fc.assert(
      fc.property(anyMoment, fc.integer({ min: 31, max: 3000 }), (now, days) => {
        expect(licenceState(dayAfter(now, days), now)).toBe("valid");
      }),
    );
  });

  test.each(["", "soon", "01/02/2030"])("with the end %o is neither expired nor valid", (validUpTo) => {
    expect(licenceState(validUpTo, new Date())).toBe("unknown");
  });
});

test("active and expired drivers add up to the total, and those expiring soon are active", () => {
  fc.assert(
    fc.property(anyMoment, fc.array(fc.integer({ min: -60, max: 60 })), (now, offsets) => {
      const drivers = offsets.map((days) => ({ ...emptyDriver, licenseValidUpTo: dayAfter(now, days) }));
      const counts = countLicences(drivers, now);
      expect(counts.total).toBe(offsets.length);
      expect(counts.active + counts.expired).toBe(counts.total);
      expect(counts.expired).toBe(offsets.filter((days) => days < 0).length);
      expect(counts.expiringSoon).toBe(offsets.filter((days) => days >= 0 && days <= 30).length);
    }),
  );
});
