import { useMemo } from "react";
import { useApiQuery } from "@/shared/api/useApiQuery";
import { useCount } from "@/shared/api/useCount";
import { filterParams, listsPath, type QueryParams, type ServerRows, withQuery } from "../paged/pages";
import { useAddressParams } from "../useAddressParams";
import { today } from "./days";
import {
  type ActiveFilter,
  type Choice,
  choicesOf,
  countedChoices,
  type FilterSpec,
  filterRows,
  readFilters,
  sortedChoices,
} from "./filters";

/** A list's filters, kept in the address. */
export interface Filters<Row> {
  specs: readonly FilterSpec<Row>[];
  active: readonly ActiveFilter<Row>[];
  /** The filtered list: loaded rows, or a query of the server. */
  narrowed: { rows: readonly Row[]; passing: readonly Row[] } | ServerRows;
  /** Set a filter's value or values; an empty value, or none, removes the filter. */
  set: (id: string, value: string | readonly string[]) => void;
  clear: () => void;
}

const FIRST_PAGE = { page: null, row: null };

/** The filters in the address; changing one leads to the first page. */
function useActiveFilters<Row>(
  specs: readonly FilterSpec<Row>[],
  rows: readonly Row[] = [],
): Omit<Filters<Row>, "narrowed"> {
  const [params, update] = useAddressParams();
  return useMemo(
    () => ({
      specs,
      active: readFilters(specs, rows, params),
      set: (id, value) => update({ [id]: value === "" ? null : value, ...FIRST_PAGE }),
      clear: () => update({ ...Object.fromEntries(specs.map(({ id }) => [id, null])), ...FIRST_PAGE }),
    }),
    [params, update, rows, specs],
  );
}

/** Filter loaded rows. */
export function useFilters<Row>(
  rows: readonly Row[],
  specs: readonly FilterSpec<Row>[],
): Filters<Row> & { passing: readonly Row[] } {
  const filters = useActiveFilters(specs, rows);
  return useMemo(() => {
    const passing = filterRows(rows, filters.active);
    return { ...filters, passing, narrowed: { rows, passing } };
  }, [rows, filters]);
}

/** Filter a list on the server. */
export function useServerFilters<Row>(
  path: string,
  specs: readonly FilterSpec<Row>[],
  before: QueryParams | undefined,
): Filters<Row> & { narrowed: ServerRows } {
  const filters = useActiveFilters(specs);
  return useMemo(() => {
    const narrowing = before && filterParams(filters.active, today(), before);
    return { ...filters, narrowed: { path, before, narrowing } };
  }, [filters, path, before]);
}

/** The values that a filter offers: those of the rows, or the most frequent ones of the server (`hasMore`). */
export function useChoices<Row>(spec: FilterSpec<Row>, { narrowed, active }: Filters<Row>) {
  const query = queryOf(narrowed);
  const others = active.filter((filter) => filter.spec !== spec);
  const answer = useServerChoices(
    query?.path,
    spec.wire ?? spec.id,
    query && filterParams(others, today(), query.before),
  );
  const choices = useMemo((): readonly Choice[] => {
    if (!("rows" in narrowed)) return sortedChoices(answer?.choices ?? []);
    if (spec.kind !== "exact") return countedChoices(spec, narrowed.rows, active);
    return choicesOf(spec, narrowed.rows).map((value) => ({ value }));
  }, [spec, narrowed, active, answer]);
  return { choices, hasMore: answer?.more === true };
}

/** The number of rows before and after filtering; undefined while loading. */
export function useCounts<Row>({ narrowed }: Filters<Row>) {
  const query = queryOf(narrowed);
  const all = useCount(query ? withQuery(query.path, query.before) : null);
  const passing = useCount(query ? withQuery(query.path, query.narrowing) : null);
  if ("rows" in narrowed) return { all: narrowed.rows.length, passing: narrowed.passing.length };
  return { all, passing };
}

/** Return the query of a list that the server filters, once its parameters are known. */
function queryOf(narrowed: object | ServerRows) {
  if (!("path" in narrowed)) return undefined;
  const { path, before, narrowing } = narrowed;
  return before && narrowing && { path, before, narrowing };
}

/**
 * Query a field's values in a list and their number of rows; undefined while loading.
 * @param path of the list; without one nothing is requested.
 */
export function useServerChoices(path: string | undefined, field: string, narrowing: QueryParams = []) {
  const { data } = useApiQuery<{ choices: readonly Required<Choice>[]; more?: boolean }>(
    path === undefined ? null : withQuery(`${listsPath(path)}/choices`, [["field", field], ...narrowing]),
  );
  return data;
}
