import { expect, test } from "vitest";
import { searchRows } from "./search";

const rows = [
  { name: "José Álvarez", id: "EMP-007", phone: "+91 98765 43210" },
  { name: "Ravi Kumar", id: "EMP-210", phone: "(022) 4321-0000" },
];

const found = (search: string) =>
  searchRows(rows, (row) => [row.name, row.id, row.phone], search).map((row) => row.id);

test.each([
  ["nothing typed", "  ", ["EMP-007", "EMP-210"]],
  ["other case", "rAVI", ["EMP-210"]],
  ["accents left out", "jose alv", ["EMP-007"]],
  ["part of an id", "p-2", ["EMP-210"]],
  ["digits of a phone without its spaces", "9876543210", ["EMP-007"]],
  ["digits of a phone with other separators", "022 4321 0000", ["EMP-210"]],
  ["digits that are in an id and a phone", "210", ["EMP-007", "EMP-210"]],
  ["something that is nowhere", "zzz", []],
])("%s", (_, search, ids) => {
  expect(found(search)).toEqual(ids);
});

test("an id is not searched by its digits alone, as a phone is", () => {
  expect(searchRows([{ id: "A1B2" }], (row) => [row.id], "12")).toEqual([]);
});
