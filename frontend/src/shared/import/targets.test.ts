import { expect, test } from "vitest";
import { rememberColumns, rememberedColumns } from "./remembered";
import { matchColumns, REASON, targetsOf } from "./targets";
import { shipDefinition } from "./testing/kind";

const targets = targetsOf(shipDefinition);

test("columns are found by any name that a field has, however it is written", () => {
  const headers = ["HULL-NUMBER", "ship_name", " tons ", "builtOn", "Home  port", "berth", "Captain", ""];
  expect(matchColumns(headers, targets)).toEqual([
    "id",
    "name",
    "tons",
    "built",
    "port",
    "berth",
    null,
    null,
  ]);
});

test("what the list calls a field in its download is known, too", () => {
  expect(matchColumns(["Ship"], targets)).toEqual(["name"]);
});

test("of two columns of one name the first is taken", () => {
  expect(matchColumns(["Name", "Tons", "name"], targets)).toEqual(["name", "tons", null]);
});

test("what was chosen for a column is chosen the next time, also that it is left out", () => {
  rememberColumns("ship", ["Heimathafen", "Tons"], ["port", null]);
  rememberColumns("ship", ["Other"], [null]);
  expect(matchColumns(["heimathafen", "TONS"], targets, rememberedColumns("ship"))).toEqual(["port", null]);
  expect(rememberedColumns("driver").size).toBe(0);
});

test("that the second of two columns of one name is left out says nothing of the name", () => {
  rememberColumns("ship", ["Name", "Name"], ["name", null]);
  expect(matchColumns(["Name"], targets, rememberedColumns("ship"))).toEqual(["name"]);
});

test("why rows were refused is no field", () => {
  expect(matchColumns([REASON, "Name"], targets)).toEqual([null, "name"]);
});
