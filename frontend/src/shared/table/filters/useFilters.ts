import { useMemo } from "react";
import { useAddressParams } from "../useAddressParams";
import { type ActiveFilter, type FilterSpec, filterRows, readFilters } from "./filters";

/** A list's filters, which live in the address beside its search, order and page. */
export interface Filters<Row> {
  specs: readonly FilterSpec<Row>[];
  active: readonly ActiveFilter<Row>[];
  /** The rows that are narrowed. */
  rows: readonly Row[];
  /** Those of them that pass. */
  passing: readonly Row[];
  /** Empty text takes the filter away. */
  set: (id: string, value: string) => void;
  clear: () => void;
}

const FIRST_PAGE = { page: null, row: null };

/** Narrows rows by the filters that the address asks for; whatever changes them leads to the first page. */
export function useFilters<Row>(rows: readonly Row[], specs: readonly FilterSpec<Row>[]): Filters<Row> {
  const [params, update] = useAddressParams();
  return useMemo(() => {
    const active = readFilters(specs, rows, params);
    return {
      specs,
      active,
      rows,
      passing: filterRows(rows, active),
      set: (id, value) => update({ [id]: value === "" ? null : value, ...FIRST_PAGE }),
      clear: () => update({ ...Object.fromEntries(specs.map(({ id }) => [id, null])), ...FIRST_PAGE }),
    };
  }, [params, update, rows, specs]);
}
