import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { labelOf, namedChanges, sameJson } from "./changes";

const labels = new Map([
  ["name", "Location Name"],
  ["attributes.city", "City"],
  ["metadata", "Metadata (JSON)"],
]);

describe("a change in the screens' words", () => {
  test("names fields as the forms do, and others as the server does", () => {
    expect(labelOf(labels, "name")).toBe("Location Name");
    expect(labelOf(labels, "geofence")).toBe("geofence");
    expect(labelOf(labels, "metadata.make")).toBe("Metadata (JSON) · make");
  });

  test("tells an object's change part by part", () => {
    const from = { city: "Kochi", state: "Kerala", closed: null };
    const to = { city: "Ernakulam", state: "Kerala", dock: 4 };
    expect(namedChanges(labels, { changes: [{ field: "attributes", from, to }] })).toEqual([
      { field: "attributes.city", from: "Kochi", to: "Ernakulam" },
      { field: "attributes.dock", from: null, to: 4 },
    ]);
    expect(
      namedChanges(labels, { changes: [{ field: "attributes", from: null, to: { city: "Kochi" } }] }),
    ).toEqual([{ field: "attributes.city", from: null, to: "Kochi" }]);
  });

  test("leaves other changes as they are", () => {
    const change = { field: "metadata", from: null, to: { make: "Tata" } };
    expect(namedChanges(labels, { changes: [change] })).toEqual([change]);
  });
});

test("JSON values are the same whatever the order of their members", () => {
  fc.assert(
    fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (value) => {
      const turned = Object.fromEntries(Object.entries(value).reverse());
      expect(sameJson(value, turned)).toBe(true);
      expect(sameJson(value, { ...turned, [`${Object.keys(value).join("")}+`]: null })).toBe(false);
    }),
  );
});
