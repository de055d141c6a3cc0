import fc from "fast-check";
import { expect, test } from "vitest";
import { asksForDays, DAY_CHOICES, daysText, isAmong, rangeOf, rangeText, today } from "./days";

const NOW = "2026-11-25";

test.each([
  ["2026-11-24", ["expired"]],
  ["2026-11-25", ["7", "30", "90"]],
  ["2026-12-02", ["7", "30", "90"]],
  ["2026-12-03", ["30", "90"]],
  ["2026-12-25", ["30", "90"]],
  ["2026-12-26", ["90"]],
  ["2027-02-23", ["90"]],
  ["2027-02-24", []],
  ["", []],
  ["some day", []],
])("a document valid until %o is in %o", (day, expected) => {
  expect(DAY_CHOICES.filter((wanted) => isAmong(day, wanted, NOW))).toEqual(expected);
});

test.each([
  ["2026-11-01..2026-11-25", "1 Nov 2026 – 25 Nov 2026", ["2026-11-01", "2026-11-25"]],
  ["2026-11-25..", "from 25 Nov 2026", ["2026-11-25", "2026-11-26"]],
  ["..2026-11-01", "until 1 Nov 2026", ["2026-10-31", "2026-11-01"]],
])("the range %o is %o, both ends included", (wanted, text, expected) => {
  const days = ["2026-10-31", "2026-11-01", "2026-11-25", "2026-11-26"];
  expect(daysText(wanted)).toBe(text);
  expect(days.filter((day) => isAmong(day, wanted, NOW))).toEqual(expected);
});

test.each(["", "..", "31", "soon", "2026-13-45..", "2026-11-25"])("%o is no filter by days", (wanted) => {
  expect(asksForDays(wanted)).toBe(false);
});

test("a range is read back as it was written", () => {
  const day = fc
    .date({ min: new Date("2020-01-01"), max: new Date("2030-01-01"), noInvalidDate: true })
    .map((date) => date.toISOString().slice(0, 10));
  fc.assert(
    fc.property(fc.oneof(fc.constant(""), day), day, (from, to) => {
      expect(rangeOf(rangeText({ from, to }))).toEqual({ from, to });
    }),
  );
  expect(rangeText({ from: "", to: "" })).toBe("");
});

test("today is the reader's day, at any time of day", () => {
  expect(today(new Date(2026, 0, 5, 0, 1))).toBe("2026-01-05");
  expect(today(new Date(2026, 0, 5, 23, 59))).toBe("2026-01-05");
});
