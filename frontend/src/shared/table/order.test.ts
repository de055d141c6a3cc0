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

test("however long numbers in texts are, they count by their value, and zeros in front come last", () => {
  expect(sorted(["12345678901", "9876543210", "007", "7", "8"])).toEqual([
    "7",
    "007",
    "8",
    "9876543210",
    "12345678901",
  ]);
});

test("letters of any alphabet come in the order of their code points", () => {
  expect(sorted(["\u{10000}", "\uffee", "क", "z"])).toEqual(["z", "क", "\uffee", "\u{10000}"]);
});

test("numbers sort as numbers", () => {
  expect(sorted([10, -2, 9.5])).toEqual([-2, 9.5, 10]);
});

test("empty values come last in either direction", () => {
  expect(sorted(["", "b", null, "a", undefined])).toEqual(["a", "b", "", null, undefined]);
  expect(sorted(["", "b", null, "a", undefined], true)).toEqual(["b", "a", "", null, undefined]);
});

test("equal values keep their turn in either direction, and the rows given stay as they were", () => {
  const rows = ["first", "second", "third"].map((name) => ({ name, port: "Kochi" }));
  const before = [...rows];
  for (const desc of [false, true]) expect(sortRows(rows, (row) => row.port, desc)).toEqual(before);
  expect(rows).toEqual(before);
});
