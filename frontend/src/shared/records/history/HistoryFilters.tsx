import { Button } from "@blueprintjs/core";
import { useMemo } from "react";
import { FilterChoice } from "@/shared/form/FilterChoice";
import { actorName, type Change, type FieldLabels, labelOf } from "@/shared/history";
import styles from "./history.module.css";

/** Which changes to show; empty text: any. */
export interface HistoryFilter {
  /** As the screens name it; see `namedChanges`. */
  field: string;
  /** The subject of whoever made it. */
  person: string;
}

export const EVERYTHING: HistoryFilter = { field: "", person: "" };

/** The changes that a filter lets through. */
export function filterChanges<C extends Change>(changes: readonly C[], filter: HistoryFilter): readonly C[] {
  const { field, person } = filter;
  return changes.filter(
    (change) =>
      (field === "" || change.changes.some((one) => one.field === field)) &&
      (person === "" || change.actor?.sub === person),
  );
}

interface HistoryFiltersProps {
  /** All there are; they say what can be chosen. */
  changes: readonly Change[];
  labels: FieldLabels;
  filter: HistoryFilter;
  onChange: (filter: HistoryFilter) => void;
}

/** Narrows a history to a field and to a person. */
export function HistoryFilters({ changes, labels, filter, onChange }: HistoryFiltersProps) {
  const fields = useMemo(() => fieldChoices(changes, labels), [changes, labels]);
  const people = useMemo(() => personChoices(changes), [changes]);
  const isActive = filter.field !== "" || filter.person !== "";
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset's legend cannot be laid out in a row
    <div role="group" aria-label="Filters" className={styles.filters}>
      <FilterChoice
        label="Field"
        all="All fields"
        choices={fields}
        value={filter.field}
        onChange={(field) => onChange({ ...filter, field })}
      />
      <FilterChoice
        label="Person"
        all="Everyone"
        choices={people}
        value={filter.person}
        onChange={(person) => onChange({ ...filter, person })}
      />
      {isActive && <Button variant="minimal" text="Clear" onClick={() => onChange(EVERYTHING)} />}
    </div>
  );
}

/** In the order of the form, and after that whatever else has ever changed. */
function fieldChoices(changes: readonly Change[], labels: FieldLabels) {
  const changed = new Set(changes.flatMap((change) => change.changes.map(({ field }) => field)));
  const known = [...labels.keys()].filter((field) => changed.has(field));
  const others = [...changed].filter((field) => !labels.has(field)).sort();
  return [...known, ...others].map((field) => ({ value: field, label: labelOf(labels, field) }));
}

function personChoices(changes: readonly Change[]) {
  const names = new Map<string, string>();
  // The latest comes first, and the name that somebody has now is the one to show.
  for (const { actor } of changes) {
    if (actor && !names.has(actor.sub)) names.set(actor.sub, actorName(actor));
  }
  return [...names]
    .map(([value, label]) => ({ value, label }))
    .sort((a, b) => a.label.localeCompare(b.label));
}
