import { Classes, InputGroup } from "@blueprintjs/core";
import { useId } from "react";
import { type FieldValues, useFormContext } from "react-hook-form";
import type { FieldSpec } from "./fields";
import styles from "./form.module.css";

/** A labelled input; its error stands below it and is read out with it. */
export function Field<Values extends FieldValues>({ spec }: { spec: FieldSpec<Values> }) {
  const { name, label, kind = "text", required = false, wide = false } = spec;
  const { register, getFieldState, formState } = useFormContext<Values>();
  const { error } = getFieldState(name, formState);
  const { ref, ...registered } = register(name);
  const inputId = useId();
  const errorId = useId();

  return (
    <div className={styles.field} data-wide={wide || undefined}>
      <label htmlFor={inputId} className={styles.label}>
        {label}
        {required && (
          <span className={styles.required} aria-hidden>
            *
          </span>
        )}
      </label>
      <InputGroup
        {...registered}
        id={inputId}
        inputRef={ref}
        type={kind}
        // These are other people's data: the browser's suggestions would be the clerk's own.
        autoComplete="off"
        // Years of more than four digits are no date to the server.
        max={kind === "date" ? "9999-12-31" : undefined}
        intent={error ? "danger" : "none"}
        aria-required={required}
        aria-invalid={error !== undefined}
        aria-describedby={error ? errorId : undefined}
      />
      {error && (
        <p id={errorId} className={`${styles.error} ${Classes.FORM_HELPER_TEXT}`}>
          {error.message}
        </p>
      )}
    </div>
  );
}
