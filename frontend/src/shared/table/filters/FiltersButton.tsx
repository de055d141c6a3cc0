import { Button, PopoverNext, PopupKind } from "@blueprintjs/core";
import { CaretDown, Filter } from "@blueprintjs/icons";
import { type RefObject, useRef } from "react";
import { grouped } from "@/shared/format/counted";
import styles from "./FilterBar.module.css";
import { FilterFields } from "./FilterFields";
import type { Filters } from "./useFilters";
import { useCounts } from "./useOffered";

interface FiltersButtonProps<Row> {
  filters: Filters<Row>;
  buttonRef: RefObject<HTMLButtonElement | null>;
}

/** A list's filters behind a button, which tells how many narrow it. */
export function FiltersButton<Row>({ filters, buttonRef }: FiltersButtonProps<Row>) {
  const { specs, active, clear } = filters;
  const content = useRef<HTMLDivElement>(null);
  if (specs.length === 0) return null;
  return (
    <PopoverNext
      placement="bottom-end"
      arrow={false}
      animation="minimal"
      popupKind={PopupKind.DIALOG}
      transitionDuration={0}
      onOpened={() => content.current?.querySelector<HTMLElement>("select, input")?.focus()}
      content={
        // biome-ignore lint/a11y/useSemanticElements: a fieldset's legend cannot be laid out in a row
        <div ref={content} role="group" aria-label="Filters" className={styles.popover}>
          <FilterFields filters={filters} className={styles.folded} />
          <div className={styles.foot}>
            <Counts filters={filters} />
            {active.length > 0 && <Button variant="minimal" text="Clear All" onClick={clear} />}
          </div>
        </div>
      }
    >
      <Button
        ref={buttonRef}
        icon={<Filter />}
        text={active.length === 0 ? "Filters" : `Filters (${active.length})`}
        endIcon={<CaretDown />}
      />
    </PopoverNext>
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
