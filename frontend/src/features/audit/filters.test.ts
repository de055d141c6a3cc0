import { describe, expect, test } from "vitest";
import { justAfter, microseconds } from "@/shared/asOf/asOf";
import { activeNames, readFilters, trailPath } from "./filters";
import { changePath, fieldChoices, kindTitle } from "./kinds";
import { earlier, endOf, localEnd, localStart, startOf } from "./localTimes";
import { change } from "./testing/auditServer";
import { testKinds as kinds } from "./testing/kinds";

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

const asked = (address: string, asOf: string | null = null) =>
  Object.fromEntries(
    new URL(trailPath(readFilters(new URLSearchParams(address)), asOf), "http://localhost").searchParams,
  );

test("blanks around a text do not count, and alone they are no filter", () => {
  expect(asked("id=%20EMP-001%20&q=%20")).toEqual({ order: "desc", id: "EMP-001" });
  expect(activeNames(readFilters(new URLSearchParams("id=x&q=%20")))).toEqual(["id"]);
});

test("with a moment in view, no later change is requested with any filter", () => {
  const asOf = "2026-11-21T04:00:00Z";
  expect(asked("", asOf).to).toBe("2026-11-21T04:00:00.000001Z");
  expect(asked("to=2026-11-22T04:00:00Z", asOf).to).toBe("2026-11-21T04:00:00.000001Z");
  expect(asked("to=2026-11-20T04:00:00Z", asOf).to).toBe("2026-11-20T04:00:00Z");
});

test("a change leads to its record as it was then, a removal to the history", () => {
  expect(changePath(kinds, change(3))).toBe("/management/drivers/EMP-001?version=3");
  expect(changePath(kinds, change(3, { type: "driver.removed" }))).toBe(
    "/management/drivers/EMP-001?tab=history",
  );
  expect(changePath(kinds, change(3, { entity: "ship" }))).toBeUndefined();
});

test("a field with several labels has all of them; different fields with one label name their kind", () => {
  expect(fieldChoices(kinds)).toEqual([
    { name: "address_1", label: "Address 1" },
    { name: "address_2", label: "Address 2" },
    { name: "city", label: "City (Driver)" },
    { name: "attributes.city", label: "City (Location)" },
    { name: "email_address", label: "Email" },
    { name: "name", label: "Name / Location Name" },
    { name: "attributes.state", label: "State" },
  ]);
  expect(fieldChoices(kinds.slice(0, 1)).map(({ label }) => label)).toContain("City");
});

test("an unknown kind is shown by the log's name", () => {
  expect(kindTitle("ship")).toBe("Ship");
});
