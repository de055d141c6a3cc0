import { describe, expect, test } from "vitest";
import { calendarOf } from "./calendar";
import { type DueDate, dueDateOf, type WireDueDate } from "./dueDates";

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

/** A component of a calendar, strictly as RFC 5545 has it. */
interface Component {
  name: string;
  /** By name, with their parameters, unparsed. */
  properties: Map<string, string>;
  components: Component[];
}

function read(text: string): Component {
  expect(text.endsWith("\r\n")).toBe(true);
  const open: Component[] = [{ name: "", properties: new Map(), components: [] }];
  // A line that begins with a space is the rest of the one before it.
  for (const line of text.slice(0, -2).replaceAll("\r\n ", "").split("\r\n")) {
    const [, name = "", value = ""] = /^([A-Z-]+(?:;[A-Z-]+=[^:;,"\r\n]+)*):([^\r\n]*)$/.exec(line) ?? [
      line,
      line,
    ];
    const component = open.at(-1) as Component;
    if (name === "BEGIN") {
      open.push({ name: value, properties: new Map(), components: [] });
      component.components.push(open.at(-1) as Component);
    } else if (name === "END") expect(open.pop()?.name).toBe(value);
    else {
      if (name === line || component.properties.has(name)) throw new Error(line);
      component.properties.set(name, value);
    }
  }
  expect(open).toHaveLength(1);
  const [calendar, ...others] = (open[0] as Component).components;
  expect([calendar?.name, others]).toEqual(["VCALENDAR", []]);
  return calendar as Component;
}

/** What a text means. */
function meant(text = ""): string {
  expect(text).toMatch(/^(?:[^\\;,]|\\[\\;,nN])*$/);
  return text.replaceAll(/\\(.)/g, (_, letter: string) => (letter.toLowerCase() === "n" ? "\n" : letter));
}

function events(text: string) {
  return read(text).components.map(({ name, properties, components }) => {
    expect(name).toBe("VEVENT");
    return {
      properties,
      uid: properties.get("UID"),
      sequence: Number(properties.get("SEQUENCE")),
      summary: meant(properties.get("SUMMARY")),
      description: meant(properties.get("DESCRIPTION")),
      triggers: components.map((alarm) => [alarm.name, alarm.properties.get("TRIGGER")]),
    };
  });
}

const eventOf = (date: DueDate, now = NOW) =>
  events(calendarOf([date], ORIGIN, now))[0] as ReturnType<typeof events>[number];

describe("a due date in a calendar", () => {
  test("is the whole of its last day, wherever the reader is, and does not make anybody busy", () => {
    const { properties } = eventOf(due());
    expect(properties.get("DTSTART;VALUE=DATE")).toBe("20261215");
    expect(properties.get("TRANSP")).toBe("TRANSPARENT");
    expect(properties.get("DTSTAMP")).toBe("20261125T102030Z");
  });

  test("contains the driver, the document, the contact and the address of the driver's page", () => {
    const { summary, description, properties } = eventOf(due({ document: "passport" }));
    expect(summary).toBe("Passport expires: Ravi Kumar (EMP-001)");
    expect(description).toBe("Ravi Kumar, EMP-001\nMobile: +91 98765 43210\nLast valid day of the passport.");
    expect(properties.get("URL;VALUE=URI")).toBe(`${ORIGIN}/management/drivers/EMP-001`);
    expect(eventOf(due({ mobile_number: null })).description).not.toContain("Mobile");
  });

  test("has no control characters, which records of former releases may have", () => {
    const text = calendarOf(
      [due({ name: "Ra\u000bvi\u001f Ku\u0085mar", mobile_number: "+91\u007f 98765" })],
      ORIGIN,
      NOW,
    );
    expect(text).toMatch(/SUMMARY:.* expires: Ravi Kumar \(EMP-001\)\r\n/);
    expect(text.replaceAll("\r\n", "")).not.toMatch(/\p{Cc}/u);
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
    expect(eventOf(due()).triggers).toEqual([
      ["VALARM", "-P14D"],
      ["VALARM", "-P3D"],
    ]);
    expect(eventOf(due({ date: "2026-11-24" })).triggers).toEqual([]);
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
  const { properties } = read(text);
  expect(properties.get("VERSION")).toBe("2.0");
  expect(properties.get("PRODID")).toBe("-//Fleetlog//Due dates//EN");
});
