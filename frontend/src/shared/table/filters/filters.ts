import { formatDate, isDay } from "@/shared/format/DateText";
import { inReadingOrder } from "../order";
import { folded } from "../search";
import { asksForDays, daysText, isAmong, today } from "./days";

/** A filter of a list. */
export interface FilterSpec<Row> {
  /** Its parameter in the address. */
  id: string;
  /** The label of its field and chip. */
  label: string;
  /** The field's name in the API, for lists that the server filters. */
  wire?: string;
  /**
   * Exact: one of the choices. Value: a value of the rows, ignoring case and accents. Days: expired, expiring soon or a
   * range (`days.ts`). From and to: a day, inclusive.
   */
  kind: "exact" | "value" | "days" | "from" | "to";
  value(row: Row): string;
  /** The possible values; by default those of the rows. */
  choices?: readonly string[];
  /** Format a value for display. */
  textOf?: (value: string) => string;
}

/** The most values of one filter; the API's limit. */
export const MOST_VALUES = 50;

/** A filter and a value it asks for. A row must have one of the values of each filter. */
export interface ActiveFilter<Row> {
  spec: FilterSpec<Row>;
  value: string;
}

/** A value that a filter offers. */
export interface Choice {
  value: string;
  /** The number of rows with the value that pass the other filters, if known. */
  count?: number;
}

/** Return the values that an exact filter offers. */
export function choicesOf<Row>(spec: FilterSpec<Row>, rows: readonly Row[]): readonly string[] {
  return spec.choices ?? [...new Set(rows.map(spec.value))].sort((a, b) => a.localeCompare(b));
}

/**
 * Return a filter's values with their number of rows, in reading order. Only values of rows that pass the other filters
 * are offered, so that none leads to an empty list.
 */
export function countedChoices<Row>(
  spec: FilterSpec<Row>,
  rows: readonly Row[],
  active: readonly ActiveFilter<Row>[],
): readonly Choice[] {
  const choices = new Map<string, { value: string; count: number }>();
  const others = active.filter((filter) => filter.spec !== spec);
  for (const row of filterRows(rows, others)) {
    const value = spec.value(row);
    if (value === "") continue;
    const known = choices.get(folded(value));
    if (known) known.count += 1;
    else choices.set(folded(value), { value, count: 1 });
  }
  return sortedChoices([...choices.values()]);
}

export function sortedChoices(choices: readonly Choice[]): readonly Choice[] {
  return choices.toSorted((a, b) => inReadingOrder(a.value, b.value));
}

/** Return the values that a filter asks for. */
export function valuesOf<Row>(
  active: readonly ActiveFilter<Row>[],
  spec: FilterSpec<Row>,
): readonly string[] {
  return active.filter((filter) => filter.spec === spec).map(({ value }) => value);
}

/** Return the filters in the address, without invalid values. */
export function readFilters<Row>(
  specs: readonly FilterSpec<Row>[],
  rows: readonly Row[],
  params: URLSearchParams,
): readonly ActiveFilter<Row>[] {
  return specs.flatMap((spec) => {
    const values = params.getAll(spec.id).filter((value) => isKnown(spec, rows, value));
    const takesSeveral = spec.kind === "exact" || spec.kind === "value";
    const wanted = takesSeveral
      ? values.filter((value, index) => values.findIndex((other) => passes(spec, other, value, "")) === index)
      : values.slice(0, 1);
    return wanted.slice(0, MOST_VALUES).map((value) => ({ spec, value }));
  });
}

/** The rows that pass all filters: each by one of its values. */
export function filterRows<Row>(
  rows: readonly Row[],
  active: readonly ActiveFilter<Row>[],
  now = today(),
): readonly Row[] {
  if (active.length === 0) return rows;
  const filters = [...new Set(active.map(({ spec }) => spec))].map(
    (spec) => [spec, valuesOf(active, spec)] as const,
  );
  return rows.filter((row) =>
    filters.every(([spec, wanted]) => wanted.some((value) => passes(spec, spec.value(row), value, now))),
  );
}

/** Format a filter's value for display. */
export function filterText<Row>({ kind, textOf }: FilterSpec<Row>, value: string): string {
  if (textOf) return textOf(value);
  if (kind === "days") return daysText(value);
  return kind === "from" || kind === "to" ? formatDate(value) : value;
}

/** An active filter in words, e.g. `Status: pending`. */
export function activeText<Row>({ spec, value }: ActiveFilter<Row>): string {
  return `${spec.label}: ${filterText(spec, value)}`;
}

/**
 * Return whether a row's value passes a filter. The server has the same rules.
 * @param now today, `YYYY-MM-DD`.
 */
export function passes<Row>(
  { kind }: Pick<FilterSpec<Row>, "kind">,
  actual: string,
  wanted: string,
  now: string,
): boolean {
  if (kind === "days") return isAmong(actual, wanted, now);
  // ISO days sort as text.
  if (kind === "from") return actual >= wanted;
  if (kind === "to") return actual <= wanted;
  return kind === "value" ? folded(actual) === folded(wanted) : actual === wanted;
}

function isKnown<Row>(spec: FilterSpec<Row>, rows: readonly Row[], value: string): boolean {
  switch (spec.kind) {
    case "exact":
      return choicesOf(spec, rows).includes(value);
    case "value":
      return value !== "";
    case "days":
      return asksForDays(value);
    default:
      return isDay(value);
  }
}
