import { expect, test, vi } from "vitest";
import { isDay } from "@/shared/format/DateText";
import { dayProblem, daysOf } from "./dayText";

test.each([
  "31/12/2029",
  "31-12-29",
  "31.12.2029",
  "31 Dec 2029",
  "31 december 2029",
  "Dec 31, 2029",
  "31dec2029",
  "2029-12-31",
  "20291231",
  "31122029",
  "Monday, 31st Dec 2029",
])("%s is 31 Dec 2029, whatever the locale", (text) => {
  expect(daysOf(text, false, false)).toEqual(["2029-12-31"]);
  expect(daysOf(text, false, true)).toEqual(["2029-12-31"]);
});

test("a date is ambiguous only where people write the month first", () => {
  expect(daysOf("03/04/2029", false, false)).toEqual(["2029-04-03"]);
  expect(daysOf("03/04/2029", false, true)).toEqual(["2029-04-03", "2029-03-04"]);
  expect(daysOf("12/31/2029", false, true)).toEqual(["2029-12-31"]);
  expect(daysOf("04/04/2029", false, true)).toEqual(["2029-04-04"]);
});

test.each([
  ["31/12/85", false, "1985-12-31"],
  ["31/12/85", true, "1985-12-31"],
  ["31/12/29", true, "2029-12-31"],
  ["1 Jan 61", true, "2061-01-01"],
  ["1 Jan 61", false, "1961-01-01"],
  ["1 Jan 00", false, "2000-01-01"],
])("%s, of a document's last day: %s, is %s", (text, expires, day) => {
  vi.useFakeTimers({ toFake: ["Date"], now: new Date(2026, 10, 27) });
  expect(daysOf(text, expires)).toEqual([day]);
});

test.each(["31/02/2029", "2029-02-30", "29 Feb 2029", "tomorrow", "2029", "31 Foo 2029", "12/31"])(
  "%s is refused",
  (text) => {
    expect(daysOf(text, false, true)).toEqual([]);
    expect(dayProblem(text)).toBe(`${text} is not a date. Enter a date such as 31 Dec 2029.`);
  },
);

test("days of the calendar are days", () => {
  expect(isDay("2028-02-29")).toBe(true);
  expect(isDay("2029-02-29")).toBe(false);
  expect(dayProblem("")).toBeUndefined();
});
