import { InputGroup, TextArea } from "@blueprintjs/core";
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

  const input = {
    ...registered,
    id: inputId,
    inputRef: ref,
    // These are other people's data: the browser's suggestions would be the clerk's own.
    autoComplete: "off",
    intent: error ? "danger" : "none",
    "aria-required": required,
    "aria-invalid": error !== undefined,
    "aria-describedby": error ? errorId : undefined,
  } as const;

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
      {kind === "multiline" ? (
        <TextArea {...input} className={styles.multiline} rows={1} fill />
      ) : (
        // Years of more than four digits are no date to the server.
        <InputGroup {...input} type={kind} {...(kind === "date" && { max: "9999-12-31" })} />
      )}
      {error && (
        <p id={errorId} className={styles.error}>
          {error.message}
        </p>
      )}
    </div>
  );
}
