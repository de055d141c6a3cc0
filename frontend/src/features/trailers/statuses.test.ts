import { expect, test } from "vitest";
import { trailer } from "@/shared/records/entities.gen";
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

test("every suggested status has a tone", () => {
  expect(trailer.fields.status.suggestions.map(statusTone)).not.toContain("neutral");
});
