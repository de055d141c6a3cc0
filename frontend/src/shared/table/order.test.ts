import { expect, test } from "vitest";
import { sortRows } from "./order";

const sorted = (values: (string | number | null | undefined)[], desc = false) =>
  sortRows(
    values.map((value) => ({ value })),
    (row) => row.value,
    desc,
  ).map((row) => row.value);

test("numbers in texts count as numbers, and case and accents do not part words", () => {
  expect(sorted(["EMP-10", "EMP-2", "EMP-1"])).toEqual(["EMP-1", "EMP-2", "EMP-10"]);
  expect(sorted(["élan", "Zebra", "ELB", "apple"])).toEqual(["apple", "élan", "ELB", "Zebra"]);
});

test("numbers sort as numbers", () => {
  expect(sorted([10, -2, 9.5])).toEqual([-2, 9.5, 10]);
});

test("what is empty comes last in either direction", () => {
  expect(sorted(["", "b", null, "a", undefined])).toEqual(["a", "b", "", null, undefined]);
  expect(sorted(["", "b", null, "a", undefined], true)).toEqual(["b", "a", "", null, undefined]);
});

test("equal values keep their turn in either direction, and the rows given stay as they were", () => {
  const rows = ["first", "second", "third"].map((name) => ({ name, port: "Kochi" }));
  const before = [...rows];
  for (const desc of [false, true]) expect(sortRows(rows, (row) => row.port, desc)).toEqual(before);
  expect(rows).toEqual(before);
});
