import { counted } from "@/shared/format/counted";
import { type AuditedChange, FieldChanges, type FieldLabels, kindOf } from "@/shared/history";
import styles from "./trail.module.css";

/** So many fields, and characters of a value, fill a line. */
const ON_A_LINE = 4;
const LONG_TEXT = 80;

interface ChangedFieldsProps {
  /** In the screens' words. */
  change: AuditedChange;
  labels: FieldLabels;
}

/** What a change did to the fields, as much as a line holds. */
export function ChangedFieldsLine({ change, labels }: ChangedFieldsProps) {
  const { type, changes, version } = change;
  if (kindOf(type) === "registered") {
    return <>With {counted(changes.length, "value")}</>;
  }
  if (changes.length === 0) return <span className={styles.version}>version {version}</span>;
  const shown = changes
    .slice(0, ON_A_LINE)
    .map(({ field, from, to }) => ({ field, from: shortened(from), to: shortened(to) }));
  return <FieldChanges changes={shown} labels={labels} isFlowing />;
}

/** All of it, old → new. */
export function AllChangedFields({ change, labels }: ChangedFieldsProps) {
  if (change.changes.length === 0) return null;
  const isFirst = kindOf(change.type) === "registered";
  return <FieldChanges changes={change.changes} labels={labels} isFirst={isFirst} />;
}

/** A value of which no more is laid out than can be seen. */
function shortened(value: unknown): unknown {
  const text = typeof value === "object" && value !== null ? JSON.stringify(value) : value;
  return typeof text === "string" && text.length > LONG_TEXT ? `${text.slice(0, LONG_TEXT)}…` : text;
}
