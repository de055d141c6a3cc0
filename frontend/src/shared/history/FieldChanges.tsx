import { ArrowRight } from "@blueprintjs/icons";
import { ERASED_VALUE, type FieldChange, HIDDEN_VALUE, UNKNOWN_VALUE } from "./changes";
import styles from "./history.module.css";
import { type FieldLabels, labelOf } from "./labels";
import { ValueText } from "./ValueText";

interface FieldChangesProps {
  changes: readonly FieldChange[];
  labels: FieldLabels;
  /** There was nothing before: only what came is worth showing. */
  isFirst?: boolean;
  /** One after the other, as in a sentence, rather than a line each. */
  isFlowing?: boolean;
}

/** The fields that a change touched, each old → new. */
export function FieldChanges({ changes, labels, isFirst = false, isFlowing = false }: FieldChangesProps) {
  return (
    <dl className={isFlowing ? styles.flowing : styles.changes}>
      {changes.map(({ field, from, to }) => (
        <div key={field} className={isFlowing ? undefined : styles.change}>
          <dt>{labelOf(labels, field)}</dt>
          <dd>
            {!isFirst && from !== UNKNOWN_VALUE && to !== HIDDEN_VALUE && to !== ERASED_VALUE && (
              <>
                <del className={styles.from}>
                  <ValueText value={from} />
                </del>
                <ArrowRight size={12} className={styles.arrow} aria-label="became" />
              </>
            )}
            <ins className={styles.to}>
              <ValueText value={to} />
            </ins>
          </dd>
        </div>
      ))}
    </dl>
  );
}
