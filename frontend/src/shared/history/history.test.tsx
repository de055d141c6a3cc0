import { render } from "@testing-library/react";
import { describe, expect, test } from "vitest";
import { actorName, changeTitle, kindOf, labelOf, namedChanges } from "./changes";
import { ActorText } from "./parts";

test.each([
  ["driver.registered", "Registered"],
  ["horse.details_changed", "Changed"],
  ["location.removed", "Removed"],
  ["driver.restricted", "Restricted"],
  ["driver.hold_set", "Legal hold"],
  ["driver.restriction_lifted", "Restriction lifted"],
  ["driver.erased", "Erased"],
  ["driver.merged", "driver.merged"],
])("%s is told as %s", (type, title) => {
  expect(changeTitle(type)).toBe(title);
  expect(kindOf(type) === undefined).toBe(type === title);
});

test("a person without a name is told by the subject, with why", () => {
  const told = (name: string | null, said: { masked?: string[]; erased?: string[] } = {}) =>
    render(<ActorText of={{ actor: { sub: "dev|asha", name }, ...said }} />).container.textContent;
  expect(told("Asha Rao")).toBe("Asha Rao");
  expect(told(null, { erased: ["reason", "actor.name"] })).toBe("dev|asha Name erased");
  expect(told(null, { masked: ["actor.name"] })).toBe("dev|asha");
  expect(told(null)).toBe("dev|asha name not known");
  expect(actorName({ sub: "dev|asha", name: "" })).toBe("dev|asha");
  expect(actorName(null)).toBe("Unknown");
});

describe("a change in the screens' words", () => {
  const labels = new Map([
    ["name", "Location Name"],
    ["attributes.city", "City"],
    ["metadata", "Metadata (JSON)"],
  ]);
  const named = (field: string, from: unknown, to: unknown) =>
    namedChanges(labels, { changes: [{ field, from, to }] });

  test("names fields as the forms do, and others as the server does", () => {
    expect(labelOf(labels, "name")).toBe("Location Name");
    expect(labelOf(labels, "geofence")).toBe("geofence");
    expect(labelOf(labels, "metadata.make")).toBe("Metadata (JSON) · make");
  });

  test("tells an object's change part by part, whatever the order of its members", () => {
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

  test("leaves other changes as they are", () => {
    const to = { make: "Tata" };
    expect(named("metadata", null, to)).toEqual([{ field: "metadata", from: null, to }]);
  });
});
