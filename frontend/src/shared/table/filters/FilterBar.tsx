import { useRef } from "react";
import { ActiveFilters } from "@/shared/ui/ActiveFilters";
import { FIELDS } from "../ToolPopover";
import styles from "./FilterBar.module.css";
import { FilterFields, hasOwnWords } from "./FilterFields";
import { activeText, type FilterSpec, valuesOf } from "./filters";
import type { Filters } from "./useFilters";

/** A list's filters, always visible, with the active ones below. */
export function FilterBar<Row>({ filters }: { filters: Filters<Row> }) {
  const fields = useRef<HTMLDivElement>(null);
  const focusField = (index: number) => {
    const field = fields.current?.querySelectorAll<HTMLElement>(FIELDS)[index];
    field?.focus();
    // On a small screen the fields may be hidden.
    if (document.activeElement !== field)
      fields.current?.closest("[data-list]")?.querySelector<HTMLElement>("[type='search']")?.focus();
  };
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

/**
 * The active filters, each with a button to remove it.
 * @param props `focusField` focuses a filter's field after its chip was removed; without a filter, the first field.
 */
export function FilterChips<Row>(props: {
  filters: Filters<Row>;
  focusField: (spec?: FilterSpec<Row>) => void;
}) {
  const { filters, focusField } = props;
  const { active, set, clear } = filters;
  return (
    <ActiveFilters
      filters={active.map(({ spec, value }) => ({
        id: `${spec.id}=${value}`,
        text: activeText({ spec, value }),
        isCapitalized: hasOwnWords(spec),
        onRemove: () => {
          set(
            spec.id,
            valuesOf(active, spec).filter((other) => other !== value),
          );
          focusField(spec);
        },
      }))}
      onClear={() => {
        clear();
        focusField();
      }}
    />
  );
}
