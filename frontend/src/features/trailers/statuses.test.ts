import { expect, test } from "vitest";
import { countStatuses, statusTone, TRAILER_STATUSES } from "./statuses";

test.each([
  ["Available", "success"],
  ["In Use", "info"],
  ["IN_USE", "info"],
  ["RUNNING", "info"],
  [" maintenance ", "warning"],
  ["Out of Service", "danger"],
  ["OUT_OF_SERVICE", "danger"],
  ["Sold", "neutral"],
  ["constructor", "neutral"],
  ["", "neutral"],
])("the status %o has the tone %s", (status, tone) => {
  expect(statusTone(status)).toBe(tone);
});

test("a running trailer counts as in use; what has no card counts in the total alone", () => {
  const statuses = [
    "Available",
    "AVAILABLE",
    "In Use",
    "RUNNING",
    "in_use",
    "Maintenance",
    "Out of Service",
    "Sold",
    "",
  ];
  expect(countStatuses(statuses.map((status) => ({ status })))).toEqual({
    total: 9,
    available: 2,
    inUse: 3,
    maintenance: 1,
  });
});

test("every status that is suggested is one that we know", () => {
  expect(TRAILER_STATUSES.map(statusTone)).not.toContain("neutral");
});
