import { useMemo } from "react";
import { useAddressParams } from "../useAddressParams";
import {
  type ActiveFilter,
  type Choice,
  choicesOf,
  countedChoices,
  type FilterSpec,
  filterRows,
  readFilters,
} from "./filters";

/** A list's filters, which live in the address beside its search, order and page. */
export interface Filters<Row> {
  specs: readonly FilterSpec<Row>[];
  active: readonly ActiveFilter<Row>[];
  /** The values that one offers. A hook: they may have to be asked for. */
  useChoices: (spec: FilterSpec<Row>) => readonly Choice[];
  /** How many rows are narrowed, and how many of them pass; a hook as well. */
  useCounts: () => { all: number | undefined; passing: number | undefined };
  /** Empty text takes the filter away. */
  set: (id: string, value: string) => void;
  clear: () => void;
}

const FIRST_PAGE = { page: null, row: null };

/** The filters that the address asks for; whatever changes them leads to the first page. */
export function useActiveFilters<Row>(
  specs: readonly FilterSpec<Row>[],
  rows: readonly Row[] = [],
): Pick<Filters<Row>, "specs" | "active" | "set" | "clear"> {
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
  const asked = useActiveFilters(specs, rows);
  return useMemo(() => {
    const passing = filterRows(rows, asked.active);
    return {
      ...asked,
      passing,
      useChoices: (spec) =>
        spec.kind === "exact"
          ? choicesOf(spec, rows).map((value) => ({ value }))
          : countedChoices(spec, rows, asked.active),
      useCounts: () => ({ all: rows.length, passing: passing.length }),
    };
  }, [rows, asked]);
}
