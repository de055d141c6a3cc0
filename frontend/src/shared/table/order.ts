import type { Value } from "./columns";

type Key = string | number;

const collator = new Intl.Collator(undefined, { numeric: true, sensitivity: "base" });

/** The order a person expects: `EMP-2` before `EMP-10`, capitals and accents beside their letters. */
function inReadingOrder(a: Key, b: Key): number {
  return typeof a === "number" && typeof b === "number" ? a - b : collator.compare(String(a), String(b));
}

/** The rows in the order of a column's values. Rows without one come last in either direction. */
export function sortRows<Row>(
  rows: readonly Row[],
  value: (row: Row) => Value,
  desc: boolean,
): readonly Row[] {
  const direction = desc ? -1 : 1;
  const keyed: { row: Row; key: Key }[] = [];
  const last: Row[] = [];
  for (const row of rows) {
    const key = value(row);
    if (key === undefined || key === null || key === "") last.push(row);
    else keyed.push({ row, key });
  }
  keyed.sort((a, b) => direction * inReadingOrder(a.key, b.key));
  return [...keyed.map(({ row }) => row), ...last];
}
