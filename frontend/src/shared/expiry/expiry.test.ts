import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { dayIn, daysLeft, expiryOf } from "./expiry";
import { duePath, expiredBefore, expiringSoon, expiringWithin } from "./spans";

const anyMoment = fc.date({ min: new Date(2000, 0, 1), max: new Date(2090, 0, 1), noInvalidDate: true });

describe("a document", () => {
  test("is expired when its last day is over, whatever the time of day", () => {
    fc.assert(
      fc.property(anyMoment, fc.integer({ min: 1, max: 5000 }), (now, days) => {
        expect(expiryOf(dayIn(-days, now), now)).toBe("expired");
      }),
    );
  });

  test("is expiring soon on its last day and in the 30 days before it", () => {
    fc.assert(
      fc.property(anyMoment, fc.integer({ min: 0, max: 30 }), (now, days) => {
        expect(expiryOf(dayIn(days, now), now)).toBe("expiring");
      }),
    );
  });

  test("is valid when its last day is further away", () => {
    fc.assert(
      fc.property(anyMoment, fc.integer({ min: 31, max: 3000 }), (now, days) => {
        expect(expiryOf(dayIn(days, now), now)).toBe("valid");
      }),
    );
  });

  test.each(["", "soon", "01/02/2030"])("with the end %o is neither expired nor valid", (validUpTo) => {
    expect(expiryOf(validUpTo, new Date())).toBe("unknown");
  });
});

test("the day so many days from now is so many days away, whatever the time of day", () => {
  fc.assert(
    fc.property(anyMoment, fc.integer({ min: -5000, max: 5000 }), (now, days) => {
      expect(daysLeft(dayIn(days, now), now)).toBe(days);
    }),
  );
});

test("spans meet where expired and expiring do, and the API is asked for the reader's days", () => {
  const lateAtNight = new Date(2026, 10, 25, 23, 59);
  expect(expiredBefore(lateAtNight)).toEqual({ until: "2026-11-24" });
  expect(expiringSoon(lateAtNight)).toEqual({ from: "2026-11-25", until: "2026-12-25" });
  expect(duePath(expiredBefore(lateAtNight))).toBe("/api/v1/due-dates?until=2026-11-24");
  expect(duePath(expiringWithin(7, lateAtNight), "passport")).toBe(
    "/api/v1/due-dates?from=2026-11-25&until=2026-12-02&document=passport",
  );
});
