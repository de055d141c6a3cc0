import { expect, test } from "vitest";
import { leftText, readFilters, spanOf } from "./dueDates";

const today = new Date(2026, 10, 25, 12);
const spanAt = (query: string) => spanOf(readFilters(new URLSearchParams(query)), today);

test.each([
  ["", { until: "2027-02-23" }],
  ["only=expired", { until: "2026-11-24" }],
  ["only=7", { from: "2026-11-25", until: "2026-12-02" }],
  ["only=90", { from: "2026-11-25", until: "2027-02-23" }],
  ["from=2026-01-01&until=2026-03-31", { from: "2026-01-01", until: "2026-03-31" }],
  ["from=2026-01-01", { from: "2026-01-01", until: "9999-12-31" }],
  ["until=2026-03-31&only=7", { until: "2026-03-31" }],
  ["only=8&from=2026-02-30&until=soon", { until: "2027-02-23" }],
])("%o is about %o", (query, span) => {
  expect(spanAt(query)).toEqual(span);
});

test("an unknown document is no filter", () => {
  const documentIn = (query: string) => readFilters(new URLSearchParams(query)).document;
  expect(["document=passport", "document=visa", "document=toString", ""].map(documentIn)).toEqual([
    "passport",
    ...["", "", ""],
  ]);
});

test.each([
  [-12, "Expired 12 days ago"],
  [-1, "Expired 1 day ago"],
  [0, "Today"],
  [1, "In 1 day"],
  [40, "In 40 days"],
])("%i days are shown as %o", (left, text) => {
  expect(leftText(left)).toBe(text);
});
