import { useMemo } from "react";
import { today } from "../filters/days";
import type { FilterSpec } from "../filters/filters";
import { type Filters, useActiveFilters } from "../filters/useFilters";
import { type Asked, type AskedRows, askedBy } from "./pages";

/** Narrows a list that is not at hand by the filters that the address asks for: its server is asked for what they let pass. */
export function useAskedFilters<Row>(
  path: string,
  specs: readonly FilterSpec<Row>[],
  before: Asked | undefined,
): Filters<Row> & { narrowed: AskedRows } {
  const filters = useActiveFilters(specs);
  return useMemo(() => {
    const narrowing = before && askedBy(filters.active, today(), before);
    return { ...filters, narrowed: { path, before, narrowing } };
  }, [filters, path, before]);
}
