import fc from "fast-check";
import { expect, test } from "vitest";
import { asksForDays, DAY_CHOICES, daysText, isAmong, rangeOf, rangeText, today } from "./days";
import { type ActiveFilter, countedChoices, type FilterSpec, filterRows, readFilters } from "./filters";

interface Row {
  status: string;
  day: string;
}

const statusFilter: FilterSpec<Row> = {
  id: "status",
  label: "Status",
  kind: "exact",
  value: ({ status }) => status,
};

const fromFilter: FilterSpec<Row> = { id: "from", label: "From", kind: "from", value: ({ day }) => day };
const toFilter: FilterSpec<Row> = { id: "to", label: "To", kind: "to", value: ({ day }) => day };
const specs = [statusFilter, fromFilter, toFilter];

const day = fc
  .date({ min: new Date("2020-01-01"), max: new Date("2030-01-01"), noInvalidDate: true })
  .map((date) => date.toISOString().slice(0, 10));

const row: fc.Arbitrary<Row> = fc.record({ status: fc.constantFrom("open", "closed", "open-ended"), day });

const active: fc.Arbitrary<ActiveFilter<Row>[]> = fc.array(
  fc.oneof(
    fc.constantFrom("open", "closed").map((value) => ({ spec: statusFilter, value })),
    day.map((value) => ({ spec: fromFilter, value })),
    day.map((value) => ({ spec: toFilter, value })),
  ),
  { maxLength: 3 },
);

test("a range of days includes both ends", () => {
  fc.assert(
    fc.property(fc.array(row), day, day, (rows, from, to) => {
      const passing = filterRows(rows, [
        { spec: fromFilter, value: from },
        { spec: toFilter, value: to },
      ]);
      const expected = rows.filter(
        (each) => Date.parse(each.day) >= Date.parse(from) && Date.parse(each.day) <= Date.parse(to),
      );
      expect(passing).toEqual(expected);
    }),
  );
});

test("an exact filter passes only equal values, not prefixes", () => {
  fc.assert(
    fc.property(fc.array(row), (rows) => {
      const passing = filterRows(rows, [{ spec: statusFilter, value: "open" }]);
      expect(passing).toEqual(rows.filter(({ status }) => status === "open"));
    }),
  );
});

test("filters combine, in any order; the values of one filter are alternatives", () => {
  fc.assert(
    fc.property(fc.array(row), active, (rows, filters) => {
      const oneByOne = specs.reduce<readonly Row[]>((left, spec) => {
        const own = filters.filter((filter) => filter.spec === spec);
        return own.length === 0
          ? left
          : left.filter((each) => own.some((one) => filterRows([each], [one])[0]));
      }, rows);
      expect(filterRows(rows, filters)).toEqual(oneByOne);
      expect(filterRows(rows, filters.toReversed())).toEqual(oneByOne);
    }),
  );
});

test.each([
  ["status=open&from=2026-01-31", ["open", "2026-01-31"]],
  [
    "status=open&status=closed&status=nonsense&status=open&from=2026-01-31&from=2026-02-01",
    ["open", "closed", "2026-01-31"],
  ],
  ["status=nonsense&from=yesterday&to=2026-13-45", []],
  ["q=open&page=2", []],
])("the address %o has the filters %o", (address, expected) => {
  const rows = ["open", "closed"].map((status) => ({ status, day: "2026-01-01" }));
  expect(readFilters(specs, rows, new URLSearchParams(address)).map(({ value }) => value)).toEqual(expected);
});

test("a value that no row has finds no rows", () => {
  const cityFilter: FilterSpec<Row> = { ...statusFilter, kind: "value" };
  const rows = [{ status: "open", day: "2026-01-01" }];
  const active = readFilters([cityFilter], rows, new URLSearchParams("status=gone"));
  expect(active.map(({ value }) => value)).toEqual(["gone"]);
  expect(filterRows(rows, active)).toEqual([]);
});

test("values are offered with the number of rows that pass the other filters", () => {
  const stateFilter: FilterSpec<Row> = { ...statusFilter, kind: "value" };
  const rows = [
    { status: "Box 10", day: "2026-01-01" },
    { status: "box 9", day: "2026-01-01" },
    { status: "box 9", day: "2026-02-01" },
    { status: "closed", day: "2026-03-01" },
    { status: "", day: "2026-01-01" },
  ];
  const until = { spec: toFilter, value: "2026-02-01" };
  const chosen = { spec: stateFilter, value: "box 9" };
  expect(countedChoices(stateFilter, rows, [until, chosen])).toEqual([
    { value: "box 9", count: 2 },
    { value: "Box 10", count: 1 },
  ]);
});

test("values that differ in case or accents are equal, and offered once as in the first row", () => {
  const cityFilter: FilterSpec<Row> = { ...statusFilter, kind: "value" };
  const rows = ["Pune", "PUNÉ", "Goa", "pune", ""].map((status) => ({ status, day: "" }));
  expect(filterRows(rows, [{ spec: cityFilter, value: "pUNE" }]).map(({ status }) => status)).toEqual([
    "Pune",
    "PUNÉ",
    "pune",
  ]);
  expect(countedChoices(cityFilter, rows, [])).toEqual([
    { value: "Goa", count: 1 },
    { value: "Pune", count: 3 },
  ]);
});

const NOW = "2026-11-25";

test.each([
  ["2026-11-24", ["expired"]],
  ["2026-11-25", ["7", "30", "90"]],
  ["2026-12-02", ["7", "30", "90"]],
  ["2026-12-03", ["30", "90"]],
  ["2026-12-25", ["30", "90"]],
  ["2026-12-26", ["90"]],
  ["2027-02-23", ["90"]],
  ["2027-02-24", []],
  ["", []],
  ["some day", []],
])("a document valid until %o is in %o", (day, expected) => {
  expect(DAY_CHOICES.filter((wanted) => isAmong(day, wanted, NOW))).toEqual(expected);
});

test.each([
  ["2026-11-01..2026-11-25", "1 Nov 2026 – 25 Nov 2026", ["2026-11-01", "2026-11-25"]],
  ["2026-11-25..", "from 25 Nov 2026", ["2026-11-25", "2026-11-26"]],
  ["..2026-11-01", "until 1 Nov 2026", ["2026-10-31", "2026-11-01"]],
])("the range %o is %o, both ends included", (wanted, text, expected) => {
  const days = ["2026-10-31", "2026-11-01", "2026-11-25", "2026-11-26"];
  expect(daysText(wanted)).toBe(text);
  expect(days.filter((day) => isAmong(day, wanted, NOW))).toEqual(expected);
});

test.each(["", "..", "31", "soon", "2026-13-45..", "2026-11-25"])("%o is no filter by days", (wanted) => {
  expect(asksForDays(wanted)).toBe(false);
});

test("a range is read back as it was written", () => {
  const day = fc
    .date({ min: new Date("2020-01-01"), max: new Date("2030-01-01"), noInvalidDate: true })
    .map((date) => date.toISOString().slice(0, 10));
  fc.assert(
    fc.property(fc.oneof(fc.constant(""), day), day, (from, to) => {
      expect(rangeOf(rangeText({ from, to }))).toEqual({ from, to });
    }),
  );
  expect(rangeText({ from: "", to: "" })).toBe("");
});

test("today is the reader's day, at any time of day", () => {
  expect(today(new Date(2026, 0, 5, 0, 1))).toBe("2026-01-05");
  expect(today(new Date(2026, 0, 5, 23, 59))).toBe("2026-01-05");
});
