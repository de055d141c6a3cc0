import { type AuditedChange, FieldChanges, kindOf, labelOf, namedChanges } from "@/shared/history";
import type { AuditedKind } from "./kinds";
import styles from "./trail.module.css";
import { inWords } from "./words";

/** More than so many fields, or so many characters of values, are folded. */
const MANY_FIELDS = 4;
const MUCH_TEXT = 280;
const NO_LABELS = new Map<string, string>();

/** What a change did to the fields, old → new; folded where it is much. */
export function ChangedFields({ change, kinds }: { change: AuditedChange; kinds: readonly AuditedKind[] }) {
  const labels = kinds.find(({ entity }) => entity === change.entity)?.labels ?? NO_LABELS;
  const changes = namedChanges(labels, change);
  if (changes.length === 0) return null;

  const isFirst = kindOf(change.type) === "registered";
  const told = isFirst ? changes.filter(({ to }) => to !== null && to !== "") : changes;
  const fields = <FieldChanges changes={told} labels={labels} isFirst={isFirst} />;
  const isMuch = told.length > MANY_FIELDS || JSON.stringify(told).length > MUCH_TEXT;
  if (!isFirst && !isMuch) return fields;

  const count = `${told.length} ${told.length === 1 ? "value" : "values"}`;
  const summary = isFirst
    ? `Registered with ${count}`
    : `Changed ${inWords(told.map(({ field }) => labelOf(labels, field)))}`;
  return (
    <details className={styles.folded}>
      <summary>{summary}</summary>
      {fields}
    </details>
  );
}
