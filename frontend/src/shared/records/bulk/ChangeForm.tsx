import { Checkbox } from "@blueprintjs/core";
import { zodResolver } from "@hookform/resolvers/zod";
import { FormProvider, useForm } from "react-hook-form";
import { usePermission } from "@/shared/auth/permissions";
import type { FormValues } from "@/shared/form";
import { Field } from "@/shared/form/Field";
import { schemaOf } from "@/shared/form/schema";
import type { RecordDefinition } from "../definition";
import type { FieldDeclaration } from "../fields";
import { useRecord } from "../useRecords";
import styles from "./bulk.module.css";

/** The chosen fields and their new values, kept while the dialog shows the preview. */
export interface ChangeDraft {
  chosen: ReadonlySet<string>;
  cleared: ReadonlySet<string>;
  values: FormValues;
}

export const NO_CHANGES: ChangeDraft = { chosen: new Set(), cleared: new Set(), values: {} };

interface ChangeFormProps {
  id: string;
  definition: RecordDefinition;
  /** The id of one of the records. */
  record: string;
  wanted: ChangeDraft;
  onChange: (wanted: ChangeDraft) => void;
  onSubmit: (changes: readonly (readonly [FieldDeclaration, string])[]) => void;
}

/** Asks for fields and their new values, equal for all records. Masked fields are left out. */
export function ChangeForm(props: ChangeFormProps) {
  // With the permission, only restricted and erased records are masked, which the server refuses one by one.
  return usePermission("personal:read") ? (
    <Fields {...props} fields={changeable(props.definition)} />
  ) : (
    <OpenFields {...props} />
  );
}

function OpenFields(props: ChangeFormProps) {
  const { data } = useRecord(props.definition.api, props.record);
  const fields = changeable(props.definition);
  return data && <Fields {...props} fields={fields.filter(({ name }) => !data.hidden.has(name))} />;
}

interface FieldsProps extends ChangeFormProps {
  fields: readonly FieldDeclaration[];
}

function Fields({ id, fields, wanted, onChange, onSubmit }: FieldsProps) {
  const { chosen, cleared, values } = wanted;
  const changed = fields.filter(({ name }) => chosen.has(name));
  const asked = changed.filter(({ name }) => !cleared.has(name)).map(demanded);
  const form = useForm<FormValues>({
    defaultValues: values,
    resolver: zodResolver(schemaOf([{ title: "", fields: asked }])),
  });
  const change = (draft: Partial<ChangeDraft>) => onChange({ ...wanted, values: form.getValues(), ...draft });

  const submit = form.handleSubmit((typed) =>
    onSubmit(changed.map((field) => [field, cleared.has(field.name) ? "" : (typed[field.name] ?? "")])),
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
        {changed.map((field) => (
          <div key={field.name} className={styles.asked}>
            {cleared.has(field.name) ? (
              <p>{field.label} will be cleared.</p>
            ) : (
              <Field spec={demanded(field)} />
            )}
            {mayBeEmpty(field) && (
              <Checkbox
                label={`Clear ${field.label.toLowerCase()}`}
                checked={cleared.has(field.name)}
                onChange={() => change({ cleared: toggled(cleared, field.name) })}
              />
            )}
          </div>
        ))}
      </form>
    </FormProvider>
  );
}

/** Return the fields that can have one value in many records; ids are fixed and JSON differs per record. */
function changeable({ fields }: RecordDefinition): readonly FieldDeclaration[] {
  return fields.filter(
    ({ name, readOnly, fixed, kind }) => name !== "id" && !readOnly && !fixed && kind !== "json",
  );
}

/** Require a value of a chosen field. */
function demanded(field: FieldDeclaration): FieldDeclaration {
  return mayBeEmpty(field) ? { ...field, required: "Enter a value, or clear the field." } : field;
}

function mayBeEmpty({ required, choices }: FieldDeclaration): boolean {
  return required === undefined && choices === undefined;
}

function toggled(names: ReadonlySet<string>, name: string): ReadonlySet<string> {
  const toggled = new Set(names);
  if (!toggled.delete(name)) toggled.add(name);
  return toggled;
}
