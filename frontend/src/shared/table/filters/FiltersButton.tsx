import { Button } from "@blueprintjs/core";
import { Filter } from "@blueprintjs/icons";
import type { RefObject } from "react";
import { grouped } from "@/shared/format/counted";
import { ToolPopover } from "../ToolPopover";
import styles from "./FilterBar.module.css";
import { FilterFields } from "./FilterFields";
import { type Filters, useCounts } from "./useFilters";

interface FiltersButtonProps<Row> {
  filters: Filters<Row>;
  buttonRef: RefObject<HTMLButtonElement | null>;
}

/** A list's filters behind a button with the number of active ones. */
export function FiltersButton<Row>({ filters, buttonRef }: FiltersButtonProps<Row>) {
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
