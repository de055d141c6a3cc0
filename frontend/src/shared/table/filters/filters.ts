import { formatDate } from "@/shared/format/DateText";
import { inReadingOrder } from "../order";
import { folded } from "../search";
import { asksForDays, daysText, isAmong, isDay, today } from "./days";

/** What a list can be narrowed by, beside its search. */
export interface FilterSpec<Row> {
  /** Its parameter in the address. */
  id: string;
  /** How it is called, on its field and on its chip. */
  label: string;
  /** What a server that narrows the list calls the field. */
  wire?: string;
  /**
   * Exact: one of the choices. Value: one that rows have, whatever its case and accents; one that none has any more
   * finds none. Days: what is over or ends soon, or a range (`days.ts`). From and to: a day, inclusive.
   */
  kind: "exact" | "value" | "days" | "from" | "to";
  value(row: Row): string;
  /** The only values there are; by default those that rows have. */
  choices?: readonly string[];
  /** A value as people read it. */
  textOf?: (value: string) => string;
}

/** A filter and the value it asks for. */
export interface ActiveFilter<Row> {
  spec: FilterSpec<Row>;
  value: string;
}

/** A value that a filter offers. */
export interface Choice {
  value: string;
  /** How many rows have it, among those that pass the other filters; undefined where that is not told. */
  count?: number;
}

/** The values that an exact filter offers, in their order. */
export function choicesOf<Row>(spec: FilterSpec<Row>, rows: readonly Row[]): readonly string[] {
  return spec.choices ?? [...new Set(rows.map(spec.value))].sort((a, b) => a.localeCompare(b));
}

/**
 * The values that a filter offers, with their rows, in reading order: so none of them leads to an empty list. Of those
 * that differ in case or accents, the first row's is offered.
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

/** The filters that the address asks for; values that there are not, such as mistyped ones, ask for nothing. */
export function readFilters<Row>(
  specs: readonly FilterSpec<Row>[],
  rows: readonly Row[],
  params: URLSearchParams,
): readonly ActiveFilter<Row>[] {
  return specs.flatMap((spec) => {
    const value = params.get(spec.id);
    return value !== null && isKnown(spec, rows, value) ? [{ spec, value }] : [];
  });
}

/** The rows that pass all filters. */
export function filterRows<Row>(
  rows: readonly Row[],
  active: readonly ActiveFilter<Row>[],
  now = today(),
): readonly Row[] {
  if (active.length === 0) return rows;
  return rows.filter((row) => active.every(({ spec, value }) => passes(spec, spec.value(row), value, now)));
}

/** What a filter asks for, as people read it. */
export function filterText<Row>({ kind, textOf }: FilterSpec<Row>, value: string): string {
  if (textOf) return textOf(value);
  if (kind === "days") return daysText(value);
  return kind === "from" || kind === "to" ? formatDate(value) : value;
}

/**
 * What a filter means: whether a row's value passes it. Whoever else narrows the same list, such as a server, must
 * mean the same.
 * @param now today, `YYYY-MM-DD`.
 */
export function passes<Row>(
  { kind }: Pick<FilterSpec<Row>, "kind">,
  actual: string,
  wanted: string,
  now: string,
): boolean {
  if (kind === "days") return isAmong(actual, wanted, now);
  // Days are written so that their order is that of their texts.
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
