import { expect, test } from "vitest";
import { storeColumns, storedColumns } from "./columnChoices";
import { matchColumns as match } from "./matching";
import { readRow } from "./readRow";
import { REASON, targetsOf } from "./targets";
import { shipDefinition } from "./testing/kind";

const targets = targetsOf(shipDefinition);
const columnsOf = (...names: string[]) => names.map((name) => targets.find((target) => target.name === name));
const USUAL = { clearsFields: false, monthFirst: new Set<number>() };

function read(cells: Record<string, string>, reading = USUAL) {
  const columns = columnsOf(...Object.keys(cells));
  return readRow({ number: 2, cells: Object.values(cells) }, columns, reading);
}

test("a row becomes a merge patch of its cells", () => {
  expect(
    read({
      id: " S-1 ",
      name: "Asha",
      tons: "12,5",
      port: "Goa",
      berth: "B7",
      built: "",
      class: "tank ship",
    }),
  ).toEqual({
    number: 2,
    id: "S-1",
    texts: { name: "Asha", tons: "12.5", port: "Goa", berth: "B7", class: "TANK_SHIP" },
    values: { ship_name: "Asha", tons: 12.5, home: { port: "Goa", berth: "B7" }, class: "TANK_SHIP" },
    problems: [],
    warnings: [],
  });
});

test("blank cells clear their fields if wanted; the server refuses missing required values", () => {
  const { values } = read(
    { id: "S-1", name: "", tons: "", port: "", papers: "" },
    { ...USUAL, clearsFields: true },
  );
  expect(values).toEqual({ ship_name: "", tons: null, home: { port: null }, papers: null });
});

test.each([
  ["25.11.2026", false, "2026-11-25"],
  ["3/4/2026", true, "2026-03-04"],
  ["3.4.2026", true, "2026-04-03"],
  ["2026-11-25T00:00:00", false, "2026-11-25"],
  ["25/11/85", false, "1985-11-25"],
])("the date %s (month first: %s) is %s", (text, isMonthFirst, day) => {
  expect(
    read({ id: "S-1", built: text }, { ...USUAL, monthFirst: new Set(isMonthFirst ? [1] : []) }).values,
  ).toEqual({ built: day });
});

test.each([
  [{ id: "S-1", tons: "many" }, "Tons", "Must be a number"],
  [{ id: "S-1", tons: "1,234" }, "Tons", "Must be a number"],
  [{ id: "S-1", built: "31/02/2028" }, "Built On", "31/02/2028 is not a date"],
  [{ id: "S-1", built: "2026-11-25T12:00:00" }, "Built On", "2026-11-25T12:00:00 is not a date"],
  [{ id: "S-1", built: "next year" }, "Built On", "next year is not a date"],
  [{ id: "S-1", papers: "[1]" }, "Papers (JSON)", "Must be a JSON object"],
  [{ id: "S-1", name: "#N/A" }, "Name", "The spreadsheet shows an error here: #N/A"],
  [{ id: "", name: "Asha" }, "Hull Number", "Hull number is required"],
])("the problem of %o is reported", (cells, label, message) => {
  expect(read(cells).problems).toEqual([{ label, message }]);
});

test("a masked or erased value of a download is kept", () => {
  expect(read({ id: "S-1", name: "Hidden", port: "Erased", berth: "B7" }).values).toEqual({
    home: { berth: "B7" },
  });
});

test("the escaping of formulas is removed", () => {
  expect(read({ id: "S-1", name: "'=1+1" }).values).toEqual({ ship_name: "=1+1" });
  expect(read({ id: "S-1", name: "=cmd|' /C calc'!A0" }).values).toEqual({ ship_name: "=cmd|' /C calc'!A0" });
  expect(read({ id: "S-1", name: "'Asha'" }).values).toEqual({ ship_name: "'Asha'" });
});

test.each([
  ["id", "S\u000b-1"],
  ["name", "A\u001fB"],
  ["port", "Goa\u0085"],
  ["papers", '{"a": ["\\u000c"]}'],
])(
  "control characters in %s are refused in the browser: the server would refuse the whole request",
  (name, text) => {
    const { problems } = read({ id: "S-1", name: "Asha", [name]: text });
    expect(problems.map(({ message }) => message)).toEqual(["Must not contain control characters"]);
  },
);

test("tabs and line ends in a cell are kept", () => {
  expect(read({ id: "S-1", name: "A\tB\nC\r\nD" }).problems).toEqual([]);
});

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
