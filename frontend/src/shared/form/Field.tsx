import { Checkbox, HTMLSelect, InputGroup, TextArea } from "@blueprintjs/core";
import { type ChangeEvent, useEffect } from "react";
import { type FieldValues, type Path, useController, useFormContext, useWatch } from "react-hook-form";
import { Link } from "react-router";
import { withoutInvisible } from "@/shared/format/controls";
import { isDay } from "@/shared/format/DateText";
import { fromInput, toInput } from "@/shared/format/localInput";
import { RecordChoice } from "@/shared/references/RecordChoice";
import type { ReferredNoun } from "@/shared/references/references";
import { DateInput } from "./DateInput";
import { type FieldSpec, type FormValues, listOf } from "./fields";
import styles from "./form.module.css";
import { type ControlProps, LabelledField } from "./LabelledField";
import { warningOf } from "./warnings";

/** An input of a form. */
export function Field<Values extends FieldValues = FormValues>(props: {
  spec: FieldSpec & { name: Path<Values> };
}) {
  const { spec } = props;
  const { name, label, kind = "text", choices, prompt, suggestions, checkedWhenLeft } = spec;
  const { register, trigger, getFieldState, formState } = useFormContext<Values>();
  const { error } = getFieldState(name, formState);
  // React Hook Form's own `mode` would validate fields that were just added.
  const { ref, ...registered } = register(name, checkedWhenLeft ? { onBlur: () => trigger(name) } : {});
  const intent = error ? "danger" : "none";
  return (
    <LabelledField
      label={label}
      isRequired={spec.required !== undefined}
      isWide={spec.wide}
      error={error && <ErrorText message={String(error.message)} record={error.types?.record} />}
      hint={(spec.hint || warningOf(spec)) && <Hint spec={spec} />}
    >
      {(control) => {
        const input = {
          ...registered,
          ...control,
          onChange: (event: ChangeEvent<HTMLInputElement | HTMLTextAreaElement | HTMLSelectElement>) => {
            removeInvisible(event.target);
            return registered.onChange(event);
          },
        };
        if (spec.refersTo) return <ReferenceControl spec={spec} noun={spec.refersTo} control={control} />;
        if (choices && spec.isMany) return <ManyControl spec={spec} control={control} />;
        if (choices) {
          const options = choices.map((value) => ({ value, label: spec.textOf?.(value) ?? value }));
          if (prompt !== undefined) options.unshift({ value: "", label: prompt });
          return <HTMLSelect {...input} ref={ref} fill options={options} />;
        }
        if (kind === "date") return <DateControl spec={spec} control={control} />;
        if (kind === "moment") return <MomentControl spec={spec} control={control} />;
        if (kind === "multiline" || kind === "json") {
          return (
            <TextArea
              {...input}
              {...TEXT}
              inputRef={ref}
              intent={intent}
              className={styles.multiline}
              data-code={kind === "json" || undefined}
              spellCheck={kind !== "json"}
              rows={1}
              fill
            />
          );
        }
        const listId = `${control.id}-suggestions`;
        return (
          <>
            <InputGroup
              {...input}
              {...TEXT}
              {...inputType(spec)}
              inputRef={ref}
              intent={intent}
              {...(suggestions && { list: listId })}
            />
            {suggestions && (
              <datalist id={listId}>
                {suggestions.map((value) => (
                  <option key={value} value={value} />
                ))}
              </datalist>
            )}
          </>
        );
      }}
    </LabelledField>
  );
}

/** An error, with a link to the record that it is about. */
function ErrorText({ message, record }: { message: string; record: unknown }) {
  if (typeof record !== "string") return message;
  return (
    <>
      {message}.{" "}
      <Link to={record} target="_blank">
        Open the record
      </Link>
    </>
  );
}

// The data is about other people: the browser's suggestions would be the user's own.
const TEXT = { autoComplete: "off" } as const;

function inputType({ kind = "text", step }: FieldSpec) {
  if (step !== undefined) {
    return { type: "number", min: step, step, inputMode: step < 1 ? "decimal" : "numeric" } as const;
  }
  // A number input returns empty text for invalid numbers, which would lose the text.
  if (kind === "number") return { type: "text", inputMode: "decimal" } as const;
  return { type: kind };
}

/** A checkbox for each choice. */
function ManyControl({ spec, control }: { spec: FieldSpec; control: ControlProps }) {
  const { name, label, choices = [], textOf } = spec;
  const { field } = useController<FormValues>({ name });
  const chosen = listOf(field.value ?? "");
  const toggle = (value: string) =>
    field.onChange(choices.filter((one) => chosen.includes(one) !== (one === value)).join(", "));
  return (
    // biome-ignore lint/a11y/useSemanticElements: the label is the field's own
    <div id={control.id} role="group" aria-label={label} aria-describedby={control["aria-describedby"]}>
      {choices.map((value) => (
        <Checkbox
          key={value}
          inline
          label={textOf?.(value) ?? value}
          checked={chosen.includes(value)}
          onChange={() => toggle(value)}
          onBlur={field.onBlur}
        />
      ))}
    </div>
  );
}

/** A choice of one or several records. */
function ReferenceControl(props: { spec: FieldSpec; noun: ReferredNoun; control: ControlProps }) {
  const { spec, noun, control } = props;
  const { field } = useController<FormValues>({ name: spec.name });
  const { ref } = field;
  useEffect(() => ref({ focus: () => document.getElementById(control.id)?.focus() }), [ref, control.id]);
  return (
    <RecordChoice
      {...control}
      noun={noun}
      isMany={spec.isMany}
      value={listOf(field.value ?? "")}
      onChange={(ids) => field.onChange(ids.join(", "))}
    />
  );
}

/** A date and time in the user's time zone. */
function MomentControl({ spec, control }: { spec: FieldSpec; control: ControlProps }) {
  const { field } = useController<FormValues>({ name: spec.name });
  const { value, onChange, ref, ...input } = field;
  return (
    <InputGroup
      {...input}
      {...control}
      type="datetime-local"
      inputRef={ref}
      intent={control["aria-invalid"] ? "danger" : "none"}
      value={toInput(value)}
      onValueChange={(text) => onChange(fromInput(text))}
    />
  );
}

/** A date that is checked when it is left, because its text is replaced by the day that was read. */
function DateControl({ spec: { name, expires }, control }: { spec: FieldSpec; control: ControlProps }) {
  const { field } = useController<FormValues>({ name });
  const { trigger } = useFormContext<FormValues>();
  return (
    <DateInput
      {...control}
      name={name}
      expires={expires}
      inputRef={field.ref}
      value={field.value ?? ""}
      onChange={(day) => {
        field.onChange(day);
        // A day chosen from an ambiguous text removes the request to choose.
        if (isDay(day)) void trigger(name);
      }}
      onBlur={() => {
        field.onBlur();
        if (field.value) void trigger(name);
      }}
    />
  );
}

/** Remove invisible characters from an input. */
function removeInvisible(input: HTMLInputElement | HTMLTextAreaElement | HTMLSelectElement) {
  const { value } = input;
  const visible = withoutInvisible(value);
  if (visible === value) return;
  // A new value moves the caret to its end. An e-mail field does not report the caret.
  const caret = "selectionStart" in input ? input.selectionStart : null;
  input.value = visible;
  if (caret === null || input instanceof HTMLSelectElement) return;
  const before = withoutInvisible(value.slice(0, caret)).length;
  input.setSelectionRange(before, before);
}

/** A hint, or a warning, which is shown when the field is left; that a text is no JSON, at once. */
function Hint({ spec }: { spec: FieldSpec }) {
  const { name, kind, hint } = spec;
  const value = useWatch<FormValues>({ name }) ?? "";
  const { getFieldState, formState } = useFormContext<FormValues>();
  const { isTouched, isDirty } = getFieldState(name, formState);
  const text = kind === "json" || isTouched || !isDirty ? warningOf(spec)?.(value) : undefined;
  if (text === undefined) return hint?.(value);
  return <span className={kind === "json" ? "fl-danger" : styles.warning}>{text}</span>;
}
