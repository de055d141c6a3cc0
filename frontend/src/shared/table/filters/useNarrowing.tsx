import { type ReactNode, useRef } from "react";
import type { Figure } from "@/shared/ui";
import { useFigureFilter } from "../useFigureFilter";
import { FilterChips } from "./FilterChips";
import { FiltersButton } from "./FiltersButton";
import type { FilterSpec } from "./filters";
import { useFilters } from "./useFilters";

interface Narrowed<Row> {
  /** What is in the list, e.g. `drivers`. */
  what: string;
  rows: readonly Row[];
  figures: readonly Figure[];
  /** Constant: whether a figure counts a row, by the figure's filter. */
  passes?: ((row: Row, filter: string) => boolean) | undefined;
  /** Constant. */
  specs: readonly FilterSpec<Row>[];
}

interface Narrowing<Row> {
  /** The filter of the figure chosen, if one is. */
  chosen: string | null;
  choose: (filter: string | null) => void;
  /** For the table. */
  table: {
    rows: readonly Row[];
    tools: ReactNode;
    filters: ReactNode;
    emptyText: string | undefined;
    onShowAll: (() => void) | undefined;
    savedParams: readonly string[];
  };
}

/** Narrows a list by the figures above it and by its filters, which fold away behind a button of the table. */
export function useNarrowing<Row>({ what, rows, figures, passes, specs }: Narrowed<Row>): Narrowing<Row> {
  const { chosen, choose, passing } = useFigureFilter(rows, figures, passes);
  const filters = useFilters(passing, specs);
  const button = useRef<HTMLButtonElement>(null);
  const focusButton = () => button.current?.focus();
  const isNarrowed = chosen !== null || filters.active.length > 0;
  const showAll = () => {
    filters.clear();
    choose(null);
    focusButton();
  };
  return {
    chosen,
    choose,
    table: {
      rows: filters.passing,
      tools: <FiltersButton filters={filters} buttonRef={button} />,
      filters: filters.active.length > 0 && <FilterChips filters={filters} focusField={focusButton} />,
      emptyText: isNarrowed ? `No results. Filters hide other ${what}.` : undefined,
      onShowAll: isNarrowed ? showAll : undefined,
      savedParams: ["only", ...specs.map(({ id }) => id)],
    },
  };
}
