import { expect, test } from "vitest";
import { storeColumns, storedColumns } from "./columnChoices";
import { matchColumns as match } from "./matching";
import { REASON, targetsOf } from "./targets";
import { shipDefinition } from "./testing/kind";

const targets = targetsOf(shipDefinition);

function sheetOf(headers: readonly string[], cells: readonly string[] = []) {
  return { header: { number: 1, cells: headers }, sample: [{ number: 2, cells }] };
}

const matchColumns = (
  headers: readonly string[],
  known = targets,
  remembered?: ReadonlyMap<string, string>,
) => match(sheetOf(headers), known, "ship", remembered);

test("columns are matched by any name of a field, in any spelling", () => {
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

test("columns are matched by the list's headers", () => {
  expect(matchColumns(["Ship"], targets)).toEqual(["name"]);
});

test("of two columns with one name, the first is used", () => {
  expect(matchColumns(["Name", "Tons", "name"], targets)).toEqual(["name", "tons", null]);
});

test("the choice for a column is stored for the next import, also to ignore it", () => {
  storeColumns("ship", ["Heimathafen", "Tons"], ["port", null]);
  storeColumns("ship", ["Other"], [null]);
  expect(matchColumns(["heimathafen", "TONS"], targets, storedColumns("ship"))).toEqual(["port", null]);
  expect(storedColumns("driver").size).toBe(0);
});

test("ignoring a duplicate column is not stored", () => {
  storeColumns("ship", ["Name", "Name"], ["name", null]);
  expect(matchColumns(["Name"], targets, storedColumns("ship"))).toEqual(["name"]);
});

test("the reasons in a file of refused rows are ignored", () => {
  expect(matchColumns([REASON, "Name"], targets)).toEqual([null, "name"]);
});
