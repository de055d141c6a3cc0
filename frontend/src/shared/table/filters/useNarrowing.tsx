import { type ReactNode, useRef } from "react";
import type { Figure } from "@/shared/ui";
import { useFigureFilter } from "../useFigureFilter";
import { FilterChips } from "./FilterChips";
import { FiltersButton } from "./FiltersButton";
import type { FilterSpec } from "./filters";
import { type Filters, useFilters } from "./useFilters";

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

/** The filter of one of the figures above a list. */
interface FigureChoice {
  /** If one is chosen. */
  chosen: string | null;
  choose: (filter: string | null) => void;
}

/** What narrows a list, for its table. */
interface NarrowingTools {
  tools: ReactNode;
  filters: ReactNode;
  emptyText: string | undefined;
  onShowAll: (() => void) | undefined;
  savedParams: readonly string[];
}

interface Narrowing<Row> extends FigureChoice {
  /** For the table. */
  table: NarrowingTools & { rows: readonly Row[] };
}

/** Narrows rows at hand by the figures above them and by filters, which fold away behind a button of the table. */
export function useNarrowing<Row>({ what, rows, figures, passes, specs }: Narrowed<Row>): Narrowing<Row> {
  const { passing, ...figure } = useFigureFilter(rows, figures, passes);
  const filters = useFilters(passing, specs);
  const tools = useNarrowingTools(what, figure, filters);
  return { ...figure, table: { ...tools, rows: filters.passing } };
}

/** What the table of a list shows of the figure and the filters that narrow it. */
export function useNarrowingTools<Row>(
  what: string,
  { chosen, choose }: FigureChoice,
  filters: Filters<Row>,
): NarrowingTools {
  const button = useRef<HTMLButtonElement>(null);
  const focusButton = () => button.current?.focus();
  const isNarrowed = chosen !== null || filters.active.length > 0;
  const showAll = () => {
    filters.clear();
    choose(null);
    focusButton();
  };
  return {
    tools: <FiltersButton filters={filters} buttonRef={button} />,
    filters: filters.active.length > 0 && <FilterChips filters={filters} focusField={focusButton} />,
    emptyText: isNarrowed ? `No results. Filters hide other ${what}.` : undefined,
    onShowAll: isNarrowed ? showAll : undefined,
    savedParams: ["only", ...filters.specs.map(({ id }) => id)],
  };
}
