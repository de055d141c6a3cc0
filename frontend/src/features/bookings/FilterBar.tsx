import { HTMLSelect, InputGroup } from "@blueprintjs/core";
import { useId, useRef } from "react";
import { formatDate } from "@/shared/format/DateText";
import { ActiveFilters } from "@/shared/ui/ActiveFilters";
import styles from "./FilterBar.module.css";
import { choicesOf, type FilterSpec } from "./filters";
import type { Filters } from "./useFilters";

interface FilterBarProps<Row> {
  filters: Filters<Row>;
  /** All rows, of which exact filters offer the values. */
  rows: readonly Row[];
}

/** A list's filters, and below them those that narrow it at the moment, to be taken away again. */
export function FilterBar<Row>({ filters, rows }: FilterBarProps<Row>) {
  const { specs, active, set, clear } = filters;
  const fields = useRef<HTMLDivElement>(null);
  // A chip that is gone cannot keep the focus: the field that it came from takes it.
  const focusField = (index: number) =>
    fields.current?.querySelectorAll<HTMLElement>("select, input")[index]?.focus();

  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset's legend cannot be laid out in a row
    <div role="group" aria-label="Filters">
      <div ref={fields} className={styles.fields}>
        {specs.map((spec) => (
          <FilterField
            key={spec.id}
            spec={spec}
            rows={rows}
            value={active.find((filter) => filter.spec === spec)?.value ?? ""}
            onChange={(value) => set(spec.id, value)}
          />
        ))}
      </div>
      <ActiveFilters
        filters={active.map(({ spec, value }) => ({
          id: spec.id,
          text: `${spec.label}: ${textOf(spec, value)}`,
          isCapitalized: isOfOurWords(spec),
          onRemove: () => {
            set(spec.id, "");
            focusField(specs.indexOf(spec));
          },
        }))}
        onClear={() => {
          clear();
          focusField(0);
        }}
      />
    </div>
  );
}

interface FilterFieldProps<Row> {
  spec: FilterSpec<Row>;
  rows: readonly Row[];
  value: string;
  onChange: (value: string) => void;
}

function FilterField<Row>({ spec, rows, value, onChange }: FilterFieldProps<Row>) {
  const id = useId();
  return (
    <div className={styles.field}>
      <label htmlFor={id}>{spec.label}</label>
      {spec.kind === "exact" ? (
        <HTMLSelect
          id={id}
          fill
          data-capitalized={isOfOurWords(spec) || undefined}
          value={value}
          onChange={(event) => onChange(event.currentTarget.value)}
          options={[
            { value: "", label: "All" },
            ...choicesOf(spec, rows).map((choice) => ({ value: choice, label: textOf(spec, choice) })),
          ]}
        />
      ) : (
        <InputGroup id={id} type="date" max="9999-12-31" value={value} onValueChange={onChange} />
      )}
    </div>
  );
}

function textOf<Row>({ kind, textOf: text }: FilterSpec<Row>, value: string): string {
  return kind === "exact" ? (text?.(value) ?? value) : formatDate(value);
}

/** Statuses and priorities are shown as titles, as their badges are; names stay as they are written. */
function isOfOurWords<Row>({ choices }: FilterSpec<Row>): boolean {
  return choices !== undefined;
}
