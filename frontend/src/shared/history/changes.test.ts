import { expect, test } from "vitest";
import { actorName, changeTitle, kindOf } from "./changes";

test.each([
  ["driver.registered", "Registered"],
  ["horse.details_changed", "Changed"],
  ["location.removed", "Removed"],
  ["driver.restricted", "Restricted"],
  ["driver.hold_set", "Legal hold"],
  ["driver.restriction_lifted", "Restriction lifted"],
  ["driver.erased", "Erased"],
])("%s is told as %s", (type, title) => {
  expect(changeTitle(type)).toBe(title);
});

test("a type that came later is told by its own name", () => {
  expect(kindOf("driver.merged")).toBeUndefined();
  expect(changeTitle("driver.merged")).toBe("driver.merged");
});

test("a person without a name is told by the subject", () => {
  expect(actorName({ sub: "dev|asha", name: "Asha Rao" })).toBe("Asha Rao");
  expect(actorName({ sub: "dev|asha", name: "" })).toBe("dev|asha");
  expect(actorName(null)).toBe("Unknown");
});
