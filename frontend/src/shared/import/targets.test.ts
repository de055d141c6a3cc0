import { expect, test } from "vitest";
import { storeColumns, storedColumns } from "./columnChoices";
import { matchColumns as match } from "./matching";
import { REASON, targetsOf } from "./targets";
import { shipDefinition } from "./testing/kind";

const targets = targetsOf(shipDefinition);

const matchColumns = (headers: readonly string[], remembered?: ReadonlyMap<string, string>) =>
  match({ header: { number: 1, cells: headers }, sample: [] }, targets, "ship", remembered);

test("columns are matched by any name of a field, in any spelling; a reason of a refusal is ignored", () => {
  const headers = ["HULL-NUMBER", "ship_name", " tons ", "builtOn", "Home  port", "Captain", "", REASON];
  const names = ["id", "name", "tons", "built", "port", null, null, null];
  expect(matchColumns(headers)).toEqual(names);
});

test("columns are matched by the list's headers, of two with one name the first", () => {
  expect(matchColumns(["Ship", "Tons", "ship"])).toEqual(["name", "tons", null]);
});

test("the choice for a column is stored for the next import, also to ignore it", () => {
  storeColumns("ship", ["Heimathafen", "Tons"], ["port", null]);
  storeColumns("ship", ["Other"], [null]);
  expect(matchColumns(["heimathafen", "TONS"], storedColumns("ship"))).toEqual(["port", null]);
  expect(storedColumns("driver").size).toBe(0);
});

test("ignoring a duplicate column is not stored", () => {
  storeColumns("ship", ["Name", "Name"], ["name", null]);
  expect(matchColumns(["Name"], storedColumns("ship"))).toEqual(["name"]);
});
