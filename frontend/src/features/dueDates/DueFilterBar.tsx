import { Button, InputGroup } from "@blueprintjs/core";
import { useRef } from "react";
import { FilterChoice } from "@/shared/form/FilterChoice";
import { LabelledField } from "@/shared/form/LabelledField";
import { useAddressParams } from "@/shared/table/useAddressParams";
import { DOCUMENTS } from "./documents";
import styles from "./dueDates.module.css";
import { type DueFilters, spanOf } from "./filters";

interface DueFilterBarProps {
  filters: DueFilters;
  today: Date;
}

const CHOICES = Object.entries(DOCUMENTS).map(([value, label]) => ({ value, label }));

/** Filters by document and by a custom span of days; the cards above set the usual spans. */
export function DueFilterBar({ filters, today }: DueFilterBarProps) {
  const [, update] = useAddressParams();
  const bar = useRef<HTMLDivElement>(null);
  const set = (changes: Record<string, string | null>) => update({ ...changes, page: null, row: null });
  const span = spanOf(filters, today);
  const isOwn = filters.from !== "" || filters.until !== "";
  const ends = [
    { label: "From", value: isOwn ? filters.from : (span.from ?? ""), name: "from" },
    { label: "To (inclusive)", value: isOwn ? filters.until : span.until, name: "until" },
  ] as const;
  // Changing one end of a card's span keeps the other end.
  const setDay = (name: string, day: string) =>
    set({
      only: null,
      ...Object.fromEntries(ends.map((end) => [end.name, (end.name === name ? day : end.value) || null])),
    });

  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset's legend cannot be laid out in a row
    <div ref={bar} role="group" aria-label="Filters" className={styles.filters}>
      <FilterChoice
        label="Document"
        choices={CHOICES}
        value={filters.document}
        onChange={(document) => set({ document: document || null })}
      />
      {ends.map(({ label, name, value }) => (
        <LabelledField key={name} label={label}>
          {({ id }) => (
            <InputGroup
              id={id}
              type="date"
              max="9999-12-31"
              value={value}
              onValueChange={(day) => setDay(name, day)}
            />
          )}
        </LabelledField>
      ))}
      {(isOwn || filters.preset !== null || filters.document !== "") && (
        <Button
          className={styles.clear ?? ""}
          variant="minimal"
          text="Clear All"
          onClick={() => {
            set({ only: null, from: null, until: null, document: null });
            // The focused button is removed.
            bar.current?.querySelector("select")?.focus();
          }}
        />
      )}
    </div>
  );
}
