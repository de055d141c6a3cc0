import { Button } from "@blueprintjs/core";
import { Filter } from "@blueprintjs/icons";
import { type ReactNode, type RefObject, useRef } from "react";
import { grouped } from "@/shared/format/counted";
import type { Figure } from "@/shared/ui";
import { ToolPopover } from "../ToolPopover";
import { useFigureFilter } from "../useFigureFilter";
import { FilterChips } from "./FilterBar";
import styles from "./FilterBar.module.css";
import { FilterFields } from "./FilterFields";
import { activeText, type FilterSpec } from "./filters";
import { type Filters, useCounts, useFilters } from "./useFilters";

interface Narrowed<Row> {
  /** The list's records, e.g. `drivers`. */
  what: string;
  rows: readonly Row[];
  figures: readonly Figure[];
  /** Constant: whether a figure counts a row, by the figure's filter. */
  passes?: ((row: Row, filter: string) => boolean) | undefined;
  /** Constant. */
  specs: readonly FilterSpec<Row>[];
}

/** The figure that filters a list. */
interface FigureChoice {
  /** The chosen figure's filter. */
  chosen: string | null;
  choose: (filter: string | null) => void;
  /** The chosen figure's label, if one is chosen. */
  narrowedBy: readonly string[];
}

/** A table's properties that concern its filters. */
interface NarrowingTools {
  tools: ReactNode;
  filters: ReactNode;
  narrowedBy: readonly string[];
  emptyText: string | undefined;
  onShowAll: (() => void) | undefined;
  savedParams: readonly string[];
}

interface Narrowing<Row> extends FigureChoice {
  /** For the table. */
  table: NarrowingTools & { rows: readonly Row[]; all: readonly Row[] };
}

/** Filter loaded rows by figures and by filters behind a button. */
export function useNarrowing<Row>({ what, rows, figures, passes, specs }: Narrowed<Row>): Narrowing<Row> {
  const { passing, ...figure } = useFigureFilter(rows, figures, passes);
  const filters = useFilters(passing, specs);
  const tools = useNarrowingTools(what, figure, filters);
  return { ...figure, table: { ...tools, rows: filters.passing, all: rows } };
}

/** Return a table's properties for the figure and filters that narrow its list. */
export function useNarrowingTools<Row>(
  what: string,
  { chosen, choose, narrowedBy }: FigureChoice,
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
    narrowedBy: [...narrowedBy, ...filters.active.map(activeText)],
    emptyText: isNarrowed ? `No results. Filters hide other ${what}.` : undefined,
    onShowAll: isNarrowed ? showAll : undefined,
    savedParams: ["only", ...filters.specs.map(({ id }) => id)],
  };
}

interface FiltersButtonProps<Row> {
  filters: Filters<Row>;
  buttonRef: RefObject<HTMLButtonElement | null>;
}

/** A list's filters behind a button with the number of active ones. */
function FiltersButton<Row>({ filters, buttonRef }: FiltersButtonProps<Row>) {
  const { specs, active, clear } = filters;
  if (specs.length === 0) return null;
  return (
    <ToolPopover
      button={{
        ref: buttonRef,
        icon: <Filter />,
        text: active.length === 0 ? "Filters" : `Filters (${active.length})`,
      }}
      label="Filters"
      className={styles.popover}
    >
      <FilterFields filters={filters} className={styles.folded} />
      <div className={styles.foot}>
        <Counts filters={filters} />
        {active.length > 0 && <Button variant="minimal" text="Clear All" onClick={clear} />}
      </div>
    </ToolPopover>
  );
}

function Counts<Row>({ filters }: { filters: Filters<Row> }) {
  const { passing, all } = useCounts(filters);
  const text = (count: number | undefined) => (count === undefined ? "–" : grouped.format(count));
  return (
    <span role="status">
      {text(passing)} of {text(all)}
    </span>
  );
}
