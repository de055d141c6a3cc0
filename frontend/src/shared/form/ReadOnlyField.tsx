import type { ReactNode } from "react";
import { FieldValue } from "./FieldValue";
import type { FieldSpec } from "./fields";
import styles from "./form.module.css";

interface ReadOnlyFieldProps {
  spec: FieldSpec;
  value: string;
  isHidden: boolean;
  note?: ReactNode;
}

/** A value for reading, in a description list. */
export function ReadOnlyField({ spec, value, isHidden, note }: ReadOnlyFieldProps) {
  return (
    <div className={styles.field} data-wide={spec.wide || undefined}>
      <dt className={styles.label}>{spec.label}</dt>
      <dd className={styles.value}>
        <FieldValue spec={spec} value={value} isHidden={isHidden} />
      </dd>
      {note && <dd className={styles.note}>{note}</dd>}
    </div>
  );
}
