import { expect, test, vi } from "vitest";
import { sortRows } from "./order";
import { createRowSearch } from "./search";

const rows = [
  { name: "José Ál\u200bvarez", id: "EMP-007", phone: "+91 98765 43210" },
  { name: "Ravi Łukasz Kumar", id: "EMP-210", phone: "(022) 4321-0000" },
];

const search = createRowSearch((row: (typeof rows)[number]) => [row.name, row.id, row.phone]);
const found = (text: string) => search(rows, text).map((row) => row.id);

test.each([
  ["an empty search", "  ", ["EMP-007", "EMP-210"]],
  ["other case", "rAVI", ["EMP-210"]],
  ["accents omitted", "jose alv", ["EMP-007"]],
  ["invisible characters", "Ra\u200bv\u00adi\ufeff", ["EMP-210"]],
  ["letters typed without special characters", "lukasz", ["EMP-210"]],
  ["part of an id", "p-2", ["EMP-210"]],
  ["digits of a phone without its spaces", "9876543210", ["EMP-007"]],
  ["digits of a phone with other separators", "022 4321 0000", ["EMP-210"]],
  ["digits that are in an id and a phone", "210", ["EMP-007", "EMP-210"]],
  ["a text in no row", "zzz", []],
])("%s", (_, text, ids) => {
  expect(found(text)).toEqual(ids);
});

test("ids are not searched by their digits alone", () => {
  expect(createRowSearch((row: { id: string }) => [row.id])([{ id: "A1B2" }], "12")).toEqual([]);
});

test("a row's texts are read once, and again for a new row object", () => {
  const fields = vi.fn((row: { name: string }) => [row.name]);
  const searchNames = createRowSearch(fields);
  const [old, renamed] = [{ name: "Ravi" }, { name: "Asha" }];
  searchNames([old], "r");
  searchNames([old], "ra");
  expect(fields).toHaveBeenCalledExactlyOnceWith(old);
  expect(searchNames([renamed], "ash")).toEqual([renamed]);
});

test("a text is not found across two fields", () => {
  const searchBoth = createRowSearch((row: { a: string; b: string }) => [row.a, row.b]);
  expect(searchBoth([{ a: "Ravi", b: "Kumar" }], "ravikumar")).toEqual([]);
  expect(searchBoth([{ a: "12", b: "34" }], "1234")).toEqual([]);
});

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
