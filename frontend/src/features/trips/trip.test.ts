import { expect, test } from "vitest";
import { textAt, tripTone } from "./trip";

test("each status has its own colour, and an unknown one is neutral", () => {
  const statuses = ["Scheduled", "In Transit", "Completed", "Delayed", "in transit", "constructor"];
  expect(statuses.map(tripTone)).toEqual(["warning", "info", "success", "danger", "neutral", "neutral"]);
});

test.each([
  ["a.b", "0"],
  ["a", "[object Object]"],
  ["a.b.c", ""],
  ["c", ""],
  ["constructor.name", ""],
])("the dotted path %s leads to %o", (path, text) => {
  expect(textAt({ a: { b: 0 }, c: null }, path)).toBe(text);
});
