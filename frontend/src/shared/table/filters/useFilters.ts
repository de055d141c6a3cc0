import { useMemo } from "react";
import type { AskedRows } from "../paged/pages";
import { useAddressParams } from "../useAddressParams";
import { type ActiveFilter, type FilterSpec, filterRows, readFilters } from "./filters";

/** A list's filters, which live in the address beside its search, order and page. */
export interface Filters<Row> {
  specs: readonly FilterSpec<Row>[];
  active: readonly ActiveFilter<Row>[];
  /** What they narrow: rows at hand, or what a server is asked for. */
  narrowed: RowsAtHand<Row> | AskedRows;
  /** Empty text takes the filter away. */
  set: (id: string, value: string) => void;
  clear: () => void;
}

interface RowsAtHand<Row> {
  rows: readonly Row[];
  /** Those of them that pass. */
  passing: readonly Row[];
}

const FIRST_PAGE = { page: null, row: null };

/** The filters that the address asks for; whatever changes them leads to the first page. */
export function useActiveFilters<Row>(
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

/** Narrows rows that are at hand: to those that pass. */
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
