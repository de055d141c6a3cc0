import { expect, test } from "vitest";
import { activeNames, readFilters, trailPath } from "./filters";

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
