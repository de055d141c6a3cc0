import { expect, test } from "vitest";
import { partsOf, type SentRow } from "./sendRows";

const rows = (count: number, text = ""): SentRow[] =>
  Array.from({ length: count }, (_, index) => ({
    key: String(index + 1),
    do: "change",
    id: `EMP-${index}`,
    values: { text },
  }));

test("rows are split into requests of at most 200 without loss or duplication", () => {
  const parts = partsOf(rows(450));
  expect(parts.map(({ length }) => length)).toEqual([200, 200, 50]);
  expect(parts.flat()).toEqual(rows(450));
  expect(partsOf([])).toEqual([]);
});

test("a request is limited in bytes as well", () => {
  const long = rows(5, "न".repeat(40_000));
  const parts = partsOf(long);
  expect(parts.map(({ length }) => length)).toEqual([2, 2, 1]);
  expect(parts.flat()).toEqual(long);
});
