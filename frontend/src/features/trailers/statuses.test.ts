import { expect, test } from "vitest";
import { trailer } from "@/shared/records/entities.gen";
import { trailerDefinition } from "./definition";
import { statusTone } from "./statuses";

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
  const counted = (filter: string) =>
    trailerDefinition.list?.figures.find(({ counts }) => counts?.filter === filter)?.counts?.has;
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
  const counts = ["available", "inUse", "maintenance"].map(
    (filter) => statuses.filter((status) => counted(filter)?.(status)).length,
  );
  expect(counts).toEqual([2, 3, 1]);
});

test("every status that is suggested is one that we know", () => {
  expect(trailer.fields.status.suggestions.map(statusTone)).not.toContain("neutral");
});
