import { type ReactNode, useId } from "react";
import styles from "./form.module.css";

/** Attributes that connect a control to its label and message. */
export interface ControlProps {
  id: string;
  "aria-required": boolean | undefined;
  "aria-invalid": boolean;
  "aria-describedby": string | undefined;
}

interface LabelledFieldProps {
  label: string;
  isRequired?: boolean | undefined;
  /** Two columns wide if there is room. */
  isWide?: boolean | undefined;
  error?: ReactNode;
  /** Shown if there is no error. */
  hint?: ReactNode;
  children: (control: ControlProps) => ReactNode;
}

/** An input with a label, and an error or hint that screen readers announce with it. */
export function LabelledField({ label, isRequired, isWide, error, hint, children }: LabelledFieldProps) {
  const id = useId();
  const noteId = useId();
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
      {children({
        id,
        "aria-required": isRequired,
        "aria-invalid": error !== undefined,
        "aria-describedby": error || hint ? noteId : undefined,
      })}
      {error !== undefined ? (
        <p id={noteId} className={styles.error}>
          {error}
        </p>
      ) : (
        hint && (
          <p id={noteId} className={styles.hint} role="status">
            {hint}
          </p>
        )
      )}
    </div>
  );
}
