import { InputGroup } from "@blueprintjs/core";
import { useRef } from "react";
import { FilterChoice } from "@/shared/form/FilterChoice";
import { LabelledField } from "@/shared/form/LabelledField";
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
        {specs.map((spec) => {
          const value = active.find((filter) => filter.spec === spec)?.value ?? "";
          const field = { label: spec.label, value, onChange: (text: string) => set(spec.id, text) };
          return spec.kind === "exact" ? (
            <FilterChoice
              key={spec.id}
              {...field}
              isCapitalized={isOfOurWords(spec)}
              choices={choicesOf(spec, rows).map((choice) => ({
                value: choice,
                label: textOf(spec, choice),
              }))}
            />
          ) : (
            <LabelledField key={spec.id} label={spec.label}>
              {({ id }) => (
                <InputGroup
                  id={id}
                  type="date"
                  max="9999-12-31"
                  value={value}
                  onValueChange={(day) => set(spec.id, day)}
                />
              )}
            </LabelledField>
          );
        })}
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

function textOf<Row>({ kind, textOf: text }: FilterSpec<Row>, value: string): string {
  return kind === "exact" ? (text?.(value) ?? value) : formatDate(value);
}

/** Statuses and priorities are shown as titles, as their badges are; names stay as they are written. */
function isOfOurWords<Row>({ choices }: FilterSpec<Row>): boolean {
  return choices !== undefined;
}
