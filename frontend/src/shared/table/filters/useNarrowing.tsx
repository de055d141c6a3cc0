import { Button } from "@blueprintjs/core";
import { Filter } from "@blueprintjs/icons";
import { useRef } from "react";
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

/** Filter loaded rows by figures and by filters behind a button; `table` has the table's properties. */
export function useNarrowing<Row>({ what, rows, figures, passes, specs }: Narrowed<Row>) {
  const { passing, ...figure } = useFigureFilter(rows, figures, passes);
  const filters = useFilters(passing, specs);
  const tools = useNarrowingTools(what, figure, filters);
  return { ...figure, table: { ...tools, rows: filters.passing, all: rows } };
}

/** Return a table's properties for the figure and filters that narrow its list. */
export function useNarrowingTools<Row>(
  what: string,
  { chosen, choose, narrowedBy }: Omit<ReturnType<typeof useFigureFilter>, "passing">,
  filters: Filters<Row>,
) {
  const button = useRef<HTMLButtonElement>(null);
  const focusButton = () => button.current?.focus();
  const { specs, active, clear } = filters;
  const isNarrowed = chosen !== null || active.length > 0;
  const showAll = () => {
    clear();
    choose(null);
    focusButton();
  };
  return {
    tools: specs.length > 0 && (
      <ToolPopover
        button={{
          ref: button,
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
    ),
    filters: active.length > 0 && <FilterChips filters={filters} focusField={focusButton} />,
    narrowedBy: [...narrowedBy, ...active.map(activeText)],
    emptyText: isNarrowed ? `No results. Filters hide other ${what}.` : undefined,
    onShowAll: isNarrowed ? showAll : undefined,
    savedParams: ["only", ...specs.map(({ id }) => id)],
  };
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
