import { describe, expect, test } from "vitest";
import { justAfter, microseconds } from "@/shared/asOf/asOf";
import { earlier, endOf, localEnd, localStart, startOf } from "./localTimes";

const instant = (text: string) => new Date(text).getTime() * 1000;

describe("a stretch of time as people give it", () => {
  test("begins with the minute that is named, by the reader's clock and with its zone", () => {
    expect(microseconds(startOf("2026-11-21T17:30"))).toBe(instant("2026-11-21T17:30"));
    expect(startOf("2026-11-21T17:30")).toMatch(/^2026-11-21T17:30:00[+-]\d\d:\d\d$/);
  });

  test("has all of the minute, or of the second, at its end", () => {
    expect(microseconds(endOf("2026-11-21T17:59"))).toBe(instant("2026-11-21T18:00"));
    expect(microseconds(endOf("2026-11-21T17:59:30"))).toBe(instant("2026-11-21T17:59:31"));
  });

  test.each(["2026-11-21T17:30", "2026-11-21T00:00", "2026-11-21T17:30:05"])("comes back as %s", (local) => {
    expect(localStart(startOf(local))).toBe(local);
    expect(localEnd(endOf(local))).toBe(local);
  });

  test("is shown by the reader's clock whatever zone an address has", () => {
    const here = localStart("2026-11-21T04:00:00Z");
    expect(localStart("2026-11-21T09:30:00+05:30")).toBe(here);
    expect(startOf(here)).toBe(startOf(localStart("2026-11-21T09:30:00+05:30")));
  });

  test("is none where nothing or nonsense is given", () => {
    expect([startOf(""), endOf(""), localStart(""), localEnd("soon")]).toEqual(["", "", "", ""]);
  });
});

test("the next instant is a microsecond later", () => {
  expect(justAfter("2026-11-21T09:30:00.999999+05:30")).toBe("2026-11-21T04:00:01.000000Z");
  expect(justAfter("soon")).toBe("soon");
});

test("the earlier of two instants counts, across zones", () => {
  expect(earlier("2026-11-21T09:30:00+05:30", "2026-11-21T04:00:01Z")).toBe("2026-11-21T09:30:00+05:30");
  expect(earlier("2026-11-21T09:30:02+05:30", "2026-11-21T04:00:01Z")).toBe("2026-11-21T04:00:01Z");
});
