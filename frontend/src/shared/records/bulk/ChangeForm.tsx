import { Checkbox } from "@blueprintjs/core";
import { zodResolver } from "@hookform/resolvers/zod";
import { useMemo } from "react";
import { FormProvider, useForm } from "react-hook-form";
import { usePermission } from "@/shared/auth/permissions";
import type { FormValues } from "@/shared/form";
import { Field } from "@/shared/form/Field";
import { schemaOf } from "@/shared/form/schema";
import type { RecordDefinition } from "../definition";
import type { FieldDeclaration } from "../fields";
import { useRecord } from "../useRecords";
import styles from "./bulk.module.css";

/** Which fields are to be changed, and to what. It outlives the form, so that one can come back to it. */
export interface Wanted {
  chosen: ReadonlySet<string>;
  emptied: ReadonlySet<string>;
  values: FormValues;
}

export const NOTHING_WANTED: Wanted = { chosen: new Set(), emptied: new Set(), values: {} };

interface ChangeFormProps {
  id: string;
  definition: RecordDefinition;
  /** The id of one of those that are changed. */
  record: string;
  wanted: Wanted;
  onChange: (wanted: Wanted) => void;
  onSubmit: (told: readonly (readonly [FieldDeclaration, string])[]) => void;
}

/** Asks which fields are to be what; the same of all records. What is hidden from a reader is not among these. */
export function ChangeForm(props: ChangeFormProps) {
  const fields = useMemo(() => changeable(props.definition.fields), [props.definition]);
  // For whoever may read personal data, what is hidden is restricted or erased, and the server says so of each.
  return usePermission("personal:read") ? (
    <Fields {...props} fields={fields} />
  ) : (
    <OpenFields {...props} fields={fields} />
  );
}

interface FieldsProps extends ChangeFormProps {
  fields: readonly FieldDeclaration[];
}

/** The same fields of all records are hidden from those who must not read personal data. */
function OpenFields(props: FieldsProps) {
  const { data } = useRecord(props.definition.api, props.record);
  return data && <Fields {...props} fields={props.fields.filter(({ name }) => !data.hidden.has(name))} />;
}

function Fields({ id, fields, wanted, onChange, onSubmit }: FieldsProps) {
  const { chosen, emptied, values } = wanted;
  const asked = useMemo(
    () => fields.filter(({ name }) => chosen.has(name) && !emptied.has(name)).map(demanded),
    [fields, chosen, emptied],
  );
  const form = useForm<FormValues>({
    defaultValues: values,
    resolver: useMemo(() => zodResolver(schemaOf([{ title: "", fields: asked }])), [asked]),
  });
  const change = (changed: Partial<Wanted>) => onChange({ ...wanted, values: form.getValues(), ...changed });

  const submit = form.handleSubmit((told) =>
    onSubmit(
      fields
        .filter(({ name }) => chosen.has(name))
        .map((field) => [field, emptied.has(field.name) ? "" : (told[field.name] ?? "")] as const),
    ),
  );
  return (
    <FormProvider {...form}>
      <form
        id={id}
        className="fl-stack"
        aria-label="New values"
        noValidate
        onSubmit={(event) => {
          change({});
          void submit(event);
        }}
      >
        <fieldset className={styles.choice}>
          <legend>Fields to change</legend>
          {fields.map(({ name, label }) => (
            <Checkbox
              key={name}
              label={label}
              checked={chosen.has(name)}
              onChange={() => change({ chosen: toggled(chosen, name) })}
            />
          ))}
        </fieldset>
        {fields
          .filter(({ name }) => chosen.has(name))
          .map((field) => (
            <div key={field.name} className={styles.asked}>
              {emptied.has(field.name) ? <p>{field.label} is emptied.</p> : <Field spec={demanded(field)} />}
              {mayBeEmpty(field) && (
                <Checkbox
                  label={`Empty ${field.label}`}
                  checked={emptied.has(field.name)}
                  onChange={() => change({ emptied: toggled(emptied, field.name) })}
                />
              )}
            </div>
          ))}
      </form>
    </FormProvider>
  );
}

/** The fields that can be made the same of many records; JSON is different in each, and an id is for ever. */
function changeable(fields: readonly FieldDeclaration[]): readonly FieldDeclaration[] {
  return fields.filter(
    ({ name, readOnly, fixed, kind }) => name !== "id" && !readOnly && !fixed && kind !== "json",
  );
}

/** Who chooses a field has to say what it is to be. */
function demanded(field: FieldDeclaration): FieldDeclaration {
  return mayBeEmpty(field) ? { ...field, required: "Give a value, or empty the field." } : field;
}

function mayBeEmpty({ required, choices }: FieldDeclaration): boolean {
  return required === undefined && choices === undefined;
}

function toggled(names: ReadonlySet<string>, name: string): ReadonlySet<string> {
  const toggled = new Set(names);
  if (!toggled.delete(name)) toggled.add(name);
  return toggled;
}
