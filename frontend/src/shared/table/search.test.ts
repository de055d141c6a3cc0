import { expect, test, vi } from "vitest";
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
