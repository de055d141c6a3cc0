import { useRef } from "react";
import styles from "./FilterBar.module.css";
import { FilterChips } from "./FilterChips";
import { FilterFields } from "./FilterFields";
import type { Filters } from "./useFilters";

/** A list's filters, always in sight, and below them those that narrow it at the moment. */
export function FilterBar<Row>({ filters }: { filters: Filters<Row> }) {
  const fields = useRef<HTMLDivElement>(null);
  const focusField = (index: number) =>
    fields.current?.querySelectorAll<HTMLElement>("select, input")[index]?.focus();
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset's legend cannot be laid out in a row
    <div role="group" aria-label="Filters">
      <FilterFields filters={filters} ref={fields} className={styles.fields} />
      <FilterChips
        filters={filters}
        focusField={(spec) => focusField(spec ? filters.specs.indexOf(spec) : 0)}
      />
    </div>
  );
}
