import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { dayIn, daysLeft, expiryOf } from "./expiry";
import { duePath, expiredBefore, expiringSoon, expiringWithin } from "./spans";

const anyMoment = fc.date({ min: new Date(2000, 0, 1), max: new Date(2090, 0, 1), noInvalidDate: true });

describe("a document", () => {
  test.each([
    ["expired", -5000, -1],
    ["expiring", 0, 30],
    ["valid", 31, 3000],
  ])("is %s with %i to %i days left, at any time of day", (expected, min, max) => {
    fc.assert(
      fc.property(anyMoment, fc.integer({ min, max }), (now, days) => {
        expect(expiryOf(dayIn(days, now), now)).toBe(expected);
      }),
    );
  });

  test.each(["", "soon", "01/02/2030"])("with the last day %o is neither expired nor valid", (validUpTo) => {
    expect(expiryOf(validUpTo, new Date())).toBe("unknown");
  });
});

test("the day N days from now is N days away, at any time of day", () => {
  fc.assert(
    fc.property(anyMoment, fc.integer({ min: -5000, max: 5000 }), (now, days) => {
      expect(daysLeft(dayIn(days, now), now)).toBe(days);
    }),
  );
});

test("spans do not overlap, and use the reader's calendar", () => {
  const lateAtNight = new Date(2026, 10, 25, 23, 59);
  expect(expiredBefore(lateAtNight)).toEqual({ until: "2026-11-24" });
  expect(expiringSoon(lateAtNight)).toEqual({ from: "2026-11-25", until: "2026-12-25" });
  expect(duePath(expiredBefore(lateAtNight))).toBe("/api/v1/due-dates?until=2026-11-24");
  expect(duePath(expiringWithin(7, lateAtNight), "passport")).toBe(
    "/api/v1/due-dates?from=2026-11-25&until=2026-12-02&document=passport",
  );
});
