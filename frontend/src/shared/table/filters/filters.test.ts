import fc from "fast-check";
import { expect, test } from "vitest";
import { type ActiveFilter, type FilterSpec, filterRows, readFilters } from "./filters";

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

test("a range of days includes both its ends, and compares days as days", () => {
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

test("an exact filter lets no other value pass, not even one that begins like it", () => {
  fc.assert(
    fc.property(fc.array(row), (rows) => {
      const passing = filterRows(rows, [{ spec: statusFilter, value: "open" }]);
      expect(passing).toEqual(rows.filter(({ status }) => status === "open"));
    }),
  );
});

test("filters narrow each other, in whichever order they come", () => {
  fc.assert(
    fc.property(fc.array(row), active, (rows, filters) => {
      const oneByOne = filters.reduce<readonly Row[]>((left, filter) => filterRows(left, [filter]), rows);
      expect(filterRows(rows, filters)).toEqual(oneByOne);
      expect(filterRows(rows, filters.toReversed())).toEqual(oneByOne);
    }),
  );
});

test.each([
  ["status=open&from=2026-01-31", ["open", "2026-01-31"]],
  ["status=nonsense&from=yesterday&to=2026-13-45", []],
  ["q=open&page=2", []],
])("the address %o asks for %o", (address, expected) => {
  const rows = [{ status: "open", day: "2026-01-01" }];
  expect(readFilters(specs, rows, new URLSearchParams(address)).map(({ value }) => value)).toEqual(expected);
});
