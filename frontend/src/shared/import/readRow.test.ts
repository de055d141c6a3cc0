import fc from "fast-check";
import { expect, test } from "vitest";
import { hasControls } from "@/shared/format/controls";
import { toCsv } from "@/shared/table/csv";
import { readRow } from "./readRow";
import { targetsOf } from "./targets";
import { shipDefinition } from "./testing/kind";
import { rowsIn } from "./testing/read";

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

test("a download that is imported unchanged has the values of its records", async () => {
  const start = fc.constantFrom("", "'", "''", "=", "'=", "+", "-", "@", "'+91 ", "''=");
  const text = fc
    .tuple(start, fc.string({ unit: "grapheme-composite" }))
    .map((parts) => parts.join("").trim());
  await fc.assert(
    fc.asyncProperty(
      fc.array(
        text.filter((one) => one !== "" && !hasControls(one)),
        { minLength: 1 },
      ),
      async (texts) => {
        const table = toCsv(
          [{ id: "id", header: "Name", value: (one: { text: string }) => one.text }],
          texts.map((one) => ({ text: one })),
        );
        const [, ...rows] = await rowsIn(new File([table], "ships.csv"));
        const read = rows.map((row) => readRow(row, columnsOf("name"), USUAL).texts.name);
        expect(read).toEqual(texts);
      },
    ),
  );
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
