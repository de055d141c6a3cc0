import { expect, test } from "vitest";
import { dayProblem, daysOf, isDay } from "./dayText";

test.each([
  "31/12/2029",
  "31-12-29",
  "31.12.2029",
  "31 Dec 2029",
  "31 december 2029",
  "Dec 31, 2029",
  "31dec2029",
  "2029-12-31",
  "31122029",
])("%s is 31 Dec 2029, whatever the locale", (text) => {
  expect(daysOf(text, false)).toEqual(["2029-12-31"]);
  expect(daysOf(text, true)).toEqual(["2029-12-31"]);
});

test("a date is ambiguous only where people write the month first", () => {
  expect(daysOf("03/04/2029", false)).toEqual(["2029-04-03"]);
  expect(daysOf("03/04/2029", true)).toEqual(["2029-04-03", "2029-03-04"]);
  expect(daysOf("12/31/2029", true)).toEqual(["2029-12-31"]);
  expect(daysOf("04/04/2029", true)).toEqual(["2029-04-04"]);
});

test.each(["31/02/2029", "2029-02-30", "29 Feb 2029", "tomorrow", "2029", "31 Foo 2029", "12/31"])(
  "%s is refused",
  (text) => {
    expect(daysOf(text, true)).toEqual([]);
    expect(dayProblem(text)).toBe(`${text} is not a date. Enter a date such as 31 Dec 2029.`);
  },
);

test("days of the calendar are days", () => {
  expect(isDay("2028-02-29")).toBe(true);
  expect(isDay("2029-02-29")).toBe(false);
  expect(dayProblem("")).toBeUndefined();
});
