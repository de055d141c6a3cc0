import { type ReactNode, useId } from "react";
import styles from "./form.module.css";

/** What a labelled input needs from around it. */
export interface FieldIds {
  id: string;
  /** The error below it, while there is one. */
  describedBy: string | undefined;
}

interface LabelledFieldProps {
  label: string;
  isRequired?: boolean | undefined;
  /** Takes two columns where there is room. */
  isWide?: boolean | undefined;
  error?: string | undefined;
  children: (ids: FieldIds) => ReactNode;
}

/** An input of any kind with its label, and its error below; for forms that are not a record's. */
export function LabelledField({ label, isRequired, isWide, error, children }: LabelledFieldProps) {
  const id = useId();
  const errorId = useId();
  return (
    <div className={styles.field} data-wide={isWide || undefined}>
      <label htmlFor={id} className={styles.label}>
        {label}
        {isRequired && (
          <span className={styles.required} aria-hidden>
            *
          </span>
        )}
      </label>
      {children({ id, describedBy: error === undefined ? undefined : errorId })}
      {error !== undefined && (
        <p id={errorId} className={styles.error}>
          {error}
        </p>
      )}
    </div>
  );
}
