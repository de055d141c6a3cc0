import { expect, test } from "vitest";
import { changePath, fieldChoices, kindTitle } from "./kinds";
import { change } from "./testing/auditServer";
import { testKinds as kinds } from "./testing/kinds";

test("a change leads to its record as it was then, a removal to the history", () => {
  expect(changePath(kinds, change(3))).toBe("/management/drivers/EMP-001?version=3");
  expect(changePath(kinds, change(3, { type: "driver.removed" }))).toBe(
    "/management/drivers/EMP-001?tab=history",
  );
  expect(changePath(kinds, change(3, { entity: "ship" }))).toBeUndefined();
});

test("a field with several labels has all of them; different fields with one label name their kind", () => {
  expect(fieldChoices(kinds)).toEqual([
    { name: "address_1", label: "Address 1" },
    { name: "address_2", label: "Address 2" },
    { name: "city", label: "City (Driver)" },
    { name: "attributes.city", label: "City (Location)" },
    { name: "email_address", label: "Email" },
    { name: "name", label: "Name / Location Name" },
    { name: "attributes.state", label: "State" },
  ]);
  expect(fieldChoices(kinds.slice(0, 1)).map(({ label }) => label)).toContain("City");
});

test("an unknown kind is shown by the log's name", () => {
  expect(kindTitle("ship")).toBe("Ship");
});
