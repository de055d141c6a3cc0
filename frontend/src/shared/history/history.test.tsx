import { render } from "@testing-library/react";
import { describe, expect, test } from "vitest";
import { codeText } from "@/shared/format/codeText";
import { actorName, changeTitle, kindOf, labelOf, namedChanges } from "./changes";
import { ActorText, ChangeBadge, FieldChanges } from "./components";

test.each([
  ["driver.registered", "Registered"],
  ["horse.details_changed", "Changed"],
  ["location.removed", "Removed"],
  ["driver.restricted", "Restricted"],
  ["driver.hold_set", "Legal hold"],
  ["driver.restriction_lifted", "Restriction lifted"],
  ["driver.erased", "Erased"],
  ["driver.reminder_acknowledged", "Reminder acknowledged"],
  ["driver.merged", "Merged"],
  ["driver.merged_into", "Merged into"],
  ["horse.possible_duplicate_dismissed", "Not a duplicate"],
  ["driver.sold", "driver.sold"],
])("%s is shown as %s", (type, title) => {
  expect(changeTitle(type)).toBe(title);
  expect(kindOf(type) === undefined).toBe(type === title);
});

test.each([
  [null, "Reminder acknowledged: licence"],
  ["2027-03-03", "Snoozed until 3 Mar 2027: licence"],
])("an acknowledgement until %s is shown with its document", (until, text) => {
  const change = { type: "driver.reminder_acknowledged", document: "licence", until } as const;
  expect(render(<ChangeBadge change={change} />).container).toHaveTextContent(text);
});

test.each([
  [true, "Not a duplicate"],
  [false, "Possible duplicate"],
])("a pair that was dismissed (%s) is shown in words", (dismissed, text) => {
  const change = { type: "horse.possible_duplicate_dismissed", dismissed } as const;
  expect(render(<ChangeBadge change={change} />).container).toHaveTextContent(text);
});

test("a person without a name is shown by the subject, with the reason", () => {
  const shown = (name: string | null, gaps: { masked?: string[]; erased?: string[] } = {}) =>
    render(<ActorText of={{ actor: { sub: "dev|asha", name }, ...gaps }} />).container.textContent;
  expect(shown("Asha Rao")).toBe("Asha Rao");
  expect(shown(null, { erased: ["reason", "actor.name"] })).toBe("dev|asha Name erased");
  expect(shown(null, { masked: ["actor.name"] })).toBe("dev|asha");
  expect(shown(null)).toBe("dev|asha name not known");
  const program = { sub: "planner@clients", name: "planner", is_program: true };
  expect(render(<ActorText of={{ actor: program }} />).container).toHaveTextContent("planner Program");
  expect(actorName({ sub: "dev|asha", name: "" })).toBe("dev|asha");
  expect(actorName(null)).toBe("Unknown");
});

test("codes are shown as the words of lists and forms; other values are unchanged", () => {
  const labels = new Map([
    ["type", { label: "Type", textOf: codeText }],
    ["plate", { label: "Plate" }],
  ]);
  const changes = [
    { field: "type", from: "LOW_BED", to: "TANKER" },
    { field: "plate", from: "ABC", to: null },
  ];
  const { container } = render(<FieldChanges changes={changes} labels={labels} />);
  const values = [...container.querySelectorAll("del, ins")].map(({ textContent }) => textContent);
  expect(values).toEqual(["Low Bed", "Tanker", "ABC", "–nothing"]);
});

describe("named changes", () => {
  const labels = new Map([
    ["name", { label: "Location Name" }],
    ["attributes.city", { label: "City" }],
    ["metadata", { label: "Metadata (JSON)" }],
  ]);
  const named = (field: string, from: unknown, to: unknown) =>
    namedChanges(labels, { changes: [{ field, from, to }] });

  test("use the forms' labels, and wire names for other fields", () => {
    expect(labelOf(labels, "name")).toBe("Location Name");
    expect(labelOf(labels, "geofence")).toBe("geofence");
    expect(labelOf(labels, "metadata.make")).toBe("Metadata (JSON) · make");
  });

  test("split an object's change into its members, whatever their order", () => {
    const from = { city: "Kochi", state: "Kerala", closed: null, at: { x: 1, y: [2] } };
    const to = { at: { y: [2], x: 1 }, city: "Ernakulam", state: "Kerala", dock: 4 };
    expect(named("attributes", from, to)).toEqual([
      { field: "attributes.city", from: "Kochi", to: "Ernakulam" },
      { field: "attributes.dock", from: null, to: 4 },
    ]);
    expect(named("attributes", null, { city: "Kochi" })).toEqual([
      { field: "attributes.city", from: null, to: "Kochi" },
    ]);
  });

  test("keep other changes", () => {
    const to = { make: "Tata" };
    expect(named("metadata", null, to)).toEqual([{ field: "metadata", from: null, to }]);
  });
});
