import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { justBefore, microseconds, readAsOf, withAsOf } from "./asOf";

describe("an address", () => {
  test("carries a moment and its other parts", () => {
    const there = withAsOf("/management/drivers?q=ravi#top", "2026-11-20T09:30:00+05:30");
    expect(there).toBe("/management/drivers?q=ravi&as_of=2026-11-20T09%3A30%3A00%2B05%3A30#top");
    expect(readAsOf(new URL(there, "http://localhost").search)).toBe("2026-11-20T09:30:00+05:30");
    expect(withAsOf(there, null)).toBe("/management/drivers?q=ravi#top");
  });

  test("without a moment means the present", () => {
    expect(readAsOf("?q=ravi")).toBeNull();
    expect(withAsOf("/management", null)).toBe("/management");
  });
});

describe("an instant", () => {
  test("is the same in every time zone", () => {
    expect(microseconds("2026-11-20T09:30:00.000001+05:30")).toBe(
      microseconds("2026-11-20T04:00:00.000001Z"),
    );
  });

  test.each(["", "yesterday", "2026-11-20", "2026-11-20T09:30:00", "2026-13-40T09:30:00Z"])(
    "is rejected: %o",
    (text) => {
      expect(microseconds(text)).toBeNaN();
    },
  );

  test("has exactly one microsecond between it and the one just before it", () => {
    const year = 365 * 24 * 60 * 60 * 1000;
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 80 * year }), fc.integer({ min: 0, max: 999 }), (at, rest) => {
        const moment = new Date(at).toISOString().replace("Z", `${String(rest).padStart(3, "0")}Z`);
        expect(microseconds(moment)).toBe(at * 1000 + rest);
        expect(microseconds(justBefore(moment))).toBe(at * 1000 + rest - 1);
      }),
    );
  });
});
