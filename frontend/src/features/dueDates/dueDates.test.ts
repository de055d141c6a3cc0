import { expect, test } from "vitest";
import { calendarOf } from "./calendar";
import { type DueDate, dueDateOf, leftText, readFilters, spanOf, type WireDueDate } from "./dueDates";

const NOW = new Date("2026-11-25T10:20:30Z");
const ORIGIN = "https://fleet.example:8443";

function due(differences: Partial<WireDueDate> = {}): DueDate {
  return dueDateOf(
    {
      driver: "EMP-001",
      name: "Ravi Kumar",
      mobile_number: "+91 98765 43210",
      document: "licence",
      date: "2026-12-15",
      acknowledged: false,
      acknowledged_until: null,
      ...differences,
    },
    new Date(2026, 10, 25, 12),
  );
}

/** The values of a property with this name and these parameters, in a calendar of one due date. */
function values(name: string, date = due(), now = NOW) {
  const lines = calendarOf([date], ORIGIN, now).replaceAll("\r\n ", "").split("\r\n");
  return lines.filter((line) => line.startsWith(`${name}:`)).map((line) => line.slice(name.length + 1));
}

test("a due date is an all-day event that blocks no time", () => {
  expect(values("DTSTART;VALUE=DATE")).toEqual(["20261215"]);
  expect(values("TRANSP")).toEqual(["TRANSPARENT"]);
  expect(values("DTSTAMP")).toEqual(["20261125T102030Z"]);
});

test("an event names the driver, the document, the contact and the driver's page", () => {
  const passport = due({ document: "passport" });
  expect(values("SUMMARY", passport)).toEqual(["Passport expires: Ravi Kumar (EMP-001)"]);
  const lines = ["Ravi Kumar\\, EMP-001", "Mobile: +91 98765 43210", "Last valid day of the passport."];
  expect(values("DESCRIPTION", passport)[0]).toBe(lines.join("\\n"));
  expect(values("URL;VALUE=URI")).toEqual([`${ORIGIN}/management/drivers/EMP-001`]);
  expect(values("DESCRIPTION", due({ mobile_number: null }))[0]).not.toContain("Mobile");
});

test("control characters, which records of former releases may have, are removed", () => {
  const date = due({ name: "Ra\u000bvi\u001f Ku\u0085mar", mobile_number: "+91\u007f 98765" });
  const text = calendarOf([date], ORIGIN, NOW);
  expect(text).toMatch(/SUMMARY:.* expires: Ravi Kumar \(EMP-001\)\r\n/);
  expect(text.replaceAll("\r\n", "")).not.toMatch(/\p{Cc}/u);
});

test("an event keeps its id when another day is set, with a higher sequence number", () => {
  const renewed = due({ date: "2031-12-15" });
  const later = new Date("2026-11-26T08:00:00Z");
  expect(values("UID")).toEqual(["due-EMP-001%2Flicence@fleet.example:8443"]);
  expect(values("UID", renewed, later)).toEqual(values("UID"));
  expect(Number(values("SEQUENCE", renewed, later))).toBeGreaterThan(Number(values("SEQUENCE")));
  expect(values("UID", due({ document: "passport" }))).not.toEqual(values("UID"));
});

test("reminders are two weeks and three days before, unless the day has passed", () => {
  expect(values("TRIGGER")).toEqual(["-P14D", "-P3D"]);
  expect(values("TRIGGER", due({ date: "2026-11-24" }))).toEqual([]);
});

test("typed text cannot add lines to a calendar of all due dates", () => {
  const name = "O'Neil, Shaun; \\\r\nBEGIN:VALARM";
  const dates = Array.from({ length: 500 }, (_, index) => due({ driver: `EMP-${index}`, name }));
  const text = calendarOf(dates, ORIGIN, NOW);
  expect(text).toMatch(/^BEGIN:VCALENDAR\r\nVERSION:2\.0\r\nPRODID:-\/\/Fleetlog\/\/Due dates\/\/EN\r\n/);
  expect(text.endsWith("END:VCALENDAR\r\n")).toBe(true);
  expect(text.match(/^BEGIN:VEVENT\r$/gm)).toHaveLength(500);
  expect(text.match(/^BEGIN:VALARM\r$/gm)).toHaveLength(1000);
  expect(text).toContain("O'Neil\\, Shaun\\; \\\\\\nBEGIN:VALARM");
});

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
