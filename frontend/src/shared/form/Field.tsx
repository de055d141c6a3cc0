import { HTMLSelect, InputGroup, TextArea } from "@blueprintjs/core";
import { type ReactNode, useId } from "react";
import { type FieldValues, type Path, useFormContext, useWatch } from "react-hook-form";
import type { FieldSpec, FormValues } from "./fields";
import styles from "./form.module.css";

/** A labelled input; its error, or a remark on what is typed, stands below it and is read out with it. */
export function Field<Values extends FieldValues = FormValues>({
  spec,
}: {
  spec: FieldSpec & { name: Path<Values> };
}) {
  const { name, label, kind = "text", wide = false, hint } = spec;
  const { register, getFieldState, formState } = useFormContext<Values>();
  const { error } = getFieldState(name, formState);
  const { ref, ...registered } = register(name);
  const required = spec.required !== undefined;
  const inputId = useId();
  const noteId = useId();

  const input = {
    ...registered,
    id: inputId,
    "aria-required": required,
    "aria-invalid": error !== undefined,
    "aria-describedby": error || hint ? noteId : undefined,
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
      {spec.choices ? (
        <HTMLSelect {...input} ref={ref} fill options={[...spec.choices]} />
      ) : kind === "multiline" || kind === "json" ? (
        <TextArea
          {...input}
          {...TEXT}
          inputRef={ref}
          intent={error ? "danger" : "none"}
          className={styles.multiline}
          data-code={kind === "json" || undefined}
          spellCheck={kind !== "json"}
          rows={1}
          fill
        />
      ) : (
        <InputGroup
          {...input}
          {...TEXT}
          {...inputType(kind)}
          inputRef={ref}
          intent={error ? "danger" : "none"}
          {...(spec.suggestions && { list: `${inputId}-suggestions` })}
        />
      )}
      {spec.suggestions && (
        <datalist id={`${inputId}-suggestions`}>
          {spec.suggestions.map((value) => (
            <option key={value} value={value} />
          ))}
        </datalist>
      )}
      {error ? (
        <p id={noteId} className={styles.error}>
          {error.message}
        </p>
      ) : (
        hint && <Hint id={noteId} name={name} hint={hint} />
      )}
    </div>
  );
}

// These are other people's data: the browser's suggestions would be the clerk's own.
const TEXT = { autoComplete: "off" } as const;

function inputType(kind: NonNullable<FieldSpec["kind"]>) {
  // A number input would give empty text for what is none, and so lose what was typed.
  if (kind === "number") return { type: "text", inputMode: "decimal" } as const;
  // Years of more than four digits are no date to the server.
  return { type: kind, ...(kind === "date" && { max: "9999-12-31" }) };
}

interface HintProps {
  id: string;
  name: string;
  hint: (value: string) => string | undefined;
}

function Hint({ id, name, hint }: HintProps): ReactNode {
  const value = useWatch<FormValues>({ name });
  return (
    <p id={id} className={styles.hint} role="status">
      {hint(value ?? "")}
    </p>
  );
}
