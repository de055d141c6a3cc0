import ICAL from "ical.js";
import { describe, expect, test } from "vitest";
import { calendarOf } from "./calendar";
import { type DueDate, dueDateOf, type WireDueDate } from "./documents";

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
      ...differences,
    },
    new Date(2026, 10, 25, 12),
  );
}

function events(text: string): ICAL.Event[] {
  const calendar = new ICAL.Component(ICAL.parse(text));
  return calendar.getAllSubcomponents("vevent").map((event) => new ICAL.Event(event));
}

const eventOf = (date: DueDate, now = NOW) => events(calendarOf([date], ORIGIN, now))[0] as ICAL.Event;

describe("a due date in a calendar", () => {
  test("is the whole of its last day, wherever the reader is, and does not make anybody busy", () => {
    const { startDate, component } = eventOf(due());
    expect([startDate.isDate, startDate.toString()]).toEqual([true, "2026-12-15"]);
    expect(component.getFirstProperty("dtstart")?.toICALString()).toBe("DTSTART;VALUE=DATE:20261215");
    expect(component.getFirstPropertyValue("transp")).toBe("TRANSPARENT");
    expect(String(component.getFirstPropertyValue("dtstamp"))).toBe("2026-11-25T10:20:30Z");
  });

  test("says who, what, how to reach them, and where they are in the product", () => {
    const { summary, description, component } = eventOf(due({ document: "passport" }));
    expect(summary).toBe("Passport expires: Ravi Kumar (EMP-001)");
    expect(description).toBe("Ravi Kumar, EMP-001\nMobile: +91 98765 43210\nThe last day of the passport.");
    expect(component.getFirstPropertyValue("url")).toBe(`${ORIGIN}/management/drivers/EMP-001`);
    expect(eventOf(due({ mobile_number: null })).description).not.toContain("Mobile");
  });

  test("keeps its name when another day is set, and is later than the one before", () => {
    const before = eventOf(due());
    const after = eventOf(due({ date: "2031-12-15" }), new Date("2026-11-26T08:00:00Z"));
    expect(before.uid).toBe("due-EMP-001%2Flicence@fleet.example:8443");
    expect(after.uid).toBe(before.uid);
    expect(after.sequence).toBeGreaterThan(before.sequence);
    expect(eventOf(due({ document: "passport" })).uid).not.toBe(before.uid);
  });

  test("reminds a fortnight and three days before, unless it is over", () => {
    const triggers = (date: DueDate) =>
      eventOf(date)
        .component.getAllSubcomponents("valarm")
        .map((alarm) => String(alarm.getFirstPropertyValue("trigger")));
    expect(triggers(due())).toEqual(["-P14D", "-P3D"]);
    expect(triggers(due({ date: "2026-11-24" }))).toEqual([]);
  });

  test.each([
    "O'Neil, Shaun; \\ Driver",
    "BEGIN:VALARM\r\nTRIGGER:-P1D",
    "विजय कुमार नारायणस्वामी गोविन्दराजन वेंकटरामन",
    "🚚".repeat(60),
  ])("of %o can be read back, in lines of 75 bytes at most", (name) => {
    const text = calendarOf([due({ name })], ORIGIN, NOW);
    expect(text.replaceAll("\r\n", "")).not.toMatch(/[\r\n]/);
    for (const line of text.split("\r\n")) {
      expect(new TextEncoder().encode(line).length).toBeLessThanOrEqual(75);
    }
    const [event, ...others] = events(text);
    expect(others).toEqual([]);
    expect(event?.summary).toBe(`Driving license expires: ${name.replace("\r\n", "\n")} (EMP-001)`);
  });
});

test("a calendar has all that are due, and is one by the standard", () => {
  const dates = Array.from({ length: 500 }, (_, index) => due({ driver: `EMP-${index}` }));
  const text = calendarOf(dates, ORIGIN, NOW);
  expect(new Set(events(text).map(({ uid }) => uid)).size).toBe(500);
  const calendar = new ICAL.Component(ICAL.parse(text));
  expect(calendar.getFirstPropertyValue("version")).toBe("2.0");
  expect(calendar.getFirstPropertyValue("prodid")).toBe("-//Fleetlog//Due dates//EN");
});
