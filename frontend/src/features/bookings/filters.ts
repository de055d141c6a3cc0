/** What a list can be narrowed by, beside its search. */
export interface FilterSpec<Row> {
  /** Its parameter in the address. */
  id: string;
  /** How it is called, on its field and on its chip. */
  label: string;
  /** Exact: one of the choices. From and to: a day, inclusive. */
  kind: "exact" | "from" | "to";
  value: (row: Row) => string;
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

/** The values that an exact filter offers, in their order. */
export function choicesOf<Row>(spec: FilterSpec<Row>, rows: readonly Row[]): readonly string[] {
  return spec.choices ?? [...new Set(rows.map(spec.value))].sort((a, b) => a.localeCompare(b));
}

/** The filters that the address asks for; values that there are not, such as mistyped ones, ask for nothing. */
export function readFilters<Row>(
  specs: readonly FilterSpec<Row>[],
  rows: readonly Row[],
  params: URLSearchParams,
): readonly ActiveFilter<Row>[] {
  return specs.flatMap((spec) => {
    const value = params.get(spec.id);
    if (value === null) return [];
    const isKnown = spec.kind === "exact" ? choicesOf(spec, rows).includes(value) : isDay(value);
    return isKnown ? [{ spec, value }] : [];
  });
}

/** The rows that pass all filters. */
export function filterRows<Row>(rows: readonly Row[], active: readonly ActiveFilter<Row>[]): readonly Row[] {
  return rows.filter((row) => active.every(({ spec, value }) => passes(spec, spec.value(row), value)));
}

function passes<Row>({ kind }: FilterSpec<Row>, actual: string, wanted: string): boolean {
  // Days are written so that their order is that of their texts.
  if (kind === "from") return actual >= wanted;
  if (kind === "to") return actual <= wanted;
  return actual === wanted;
}

function isDay(text: string): boolean {
  return /^\d{4}-\d{2}-\d{2}$/.test(text) && !Number.isNaN(Date.parse(text));
}
