import type { Value } from "./columns";
import { folded } from "./search.ts";

const RUN_OF_DIGITS = /(0*)([0-9]+)/g;
/** Lengths that need more than one digit. */
const MANY = 9;

type Key = string | number;

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
    const key = keyOf(value(row));
    if (key === "") last.push(row);
    else keyed.push({ row, key });
  }
  keyed.sort((a, b) => direction * compared(a.key, b.key));
  return [...keyed.map(({ row }) => row), ...last];
}

/** The order a person expects: `EMP-2` before `EMP-10`, capitals and accents next to their letters. */
export function inReadingOrder(a: string, b: string): number {
  return compared(keyOf(a), keyOf(b));
}

/**
 * By what a value is sorted, here and by the server (`read_model/tables/search_terms.py`): a number by itself, a text
 * by its code points once it is folded and its runs of digits compare by their value. Nothing has the empty key.
 */
export function keyOf(value: Value): Key {
  if (typeof value === "number") return value;
  return folded(value ?? "").replace(
    RUN_OF_DIGITS,
    (_, zeros: string, digits: string) => byValue(digits) + "\u0001".repeat(zeros.length),
  );
}

/** Digits behind how many they are. */
function byValue(digits: string): string {
  const count = String(digits.length);
  return (digits.length < MANY ? count : MANY + byValue(count)) + digits;
}

/** Compares keys, texts by code points, which JavaScript's own order is not. */
export function compared(a: Key, b: Key): number {
  if (typeof a === "number" && typeof b === "number") return a - b;
  const [one, other] = [String(a), String(b)];
  const shorter = Math.min(one.length, other.length);
  for (let at = 0; at < shorter; at++) {
    const difference = placeOf(one.charCodeAt(at)) - placeOf(other.charCodeAt(at));
    if (difference !== 0) return difference;
  }
  return one.length - other.length;
}

/** Halves of characters beyond the first 65,536 come after all others. */
function placeOf(unit: number): number {
  return (unit & 0xf800) === 0xd800 ? unit + 0x10000 : unit;
}
