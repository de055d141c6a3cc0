import { Button } from "@blueprintjs/core";
import { zodResolver } from "@hookform/resolvers/zod";
import { type ComponentType, type ReactNode, type SubmitEvent, useEffect, useRef, useState } from "react";
import { FormProvider, useForm, useFormContext, useWatch } from "react-hook-form";
import { isTyping } from "@/shared/keys";
import { HiddenRemark } from "@/shared/ui";
import { Field } from "./Field";
import { ReadOnlyField } from "./FieldValue";
import {
  askedFields,
  type FieldSpec,
  type FormValues,
  type HiddenNames,
  NOTHING_HIDDEN,
  type SectionBelow,
  type SectionSpec,
  shownFields,
} from "./fields";
import styles from "./form.module.css";
import { useLeaveGuard } from "./leaveGuard";
import { Section } from "./Section";
import { AGAIN, SAVE_AGAIN_BUTTON, SAVE_BUTTON } from "./saveKeys";
import { schemaOf } from "./schema";
import { type SubmitOptions, useSubmit } from "./useSubmit";

interface RecordFormProps extends Omit<SubmitOptions, "asked"> {
  /** The form's accessible name, e.g. `Edit driver`. */
  label: string;
  sections: readonly SectionSpec[];
  /** Initial values; later ones are ignored, so that nothing typed is lost. */
  initial: FormValues;
  /** Masked fields, which the user cannot change. */
  hidden?: HiddenNames;
  /** The record exists: fixed fields are read-only. */
  isExisting: boolean;
  submitLabel: string;
  /** Its label while the record is being saved. */
  busyLabel: string;
  /** Called instead of `onSaved` if another record is to be added; sets a second button. */
  onSavedAgain?: () => void;
  onCancel: () => void;
  /** Content below the fields; `slot` is a place next to the buttons, which are always in view. */
  below?: (slot: HTMLElement | null) => ReactNode;
}

/**
 * The form of a record. It asks before unsaved changes are left, except by Cancel. Unmount the form to restore the loaded
 * values.
 */
export function RecordForm(props: RecordFormProps) {
  const { label, sections, initial, isExisting, submitLabel, busyLabel, onCancel, onSaved, onSavedAgain } =
    props;
  const { hidden = NOTHING_HIDDEN, below } = props;
  const [slot, setSlot] = useState<HTMLElement | null>(null);
  const form = useForm<FormValues>({
    defaultValues: initial,
    resolver: zodResolver(schemaOf(sections, hidden, isExisting)),
  });
  const isAgain = useRef(false);
  const guard = useLeaveGuard(form.formState.isDirty);
  const asked = askedFields(sections, isExisting, hidden);
  const { isSaving, submit } = useSubmit(form, {
    ...props,
    asked,
    onSaved: () => {
      guard.release();
      if (isAgain.current) onSavedAgain?.();
      else onSaved();
    },
  });

  const send = (event: SubmitEvent<HTMLFormElement>) => {
    if (!isSaving) isAgain.current = event.nativeEvent.submitter?.getAttribute("name") === AGAIN;
    return submit(event);
  };

  const shown = useRef<HTMLFormElement>(null);
  const first = asked[0]?.name;
  // Immediately: the form library's `setFocus` comes later, when the user may be typing elsewhere.
  useEffect(() => {
    if (first === undefined || isTyping()) return;
    shown.current?.querySelector<HTMLElement>(`[name="${CSS.escape(first)}"]`)?.focus();
  }, [first]);

  return (
    <FormProvider {...form}>
      <form ref={shown} className="fl-stack" aria-label={label} onSubmit={send} noValidate>
        {hidden.size > 0 && <HiddenRemark isEditing />}
        {sections.map((section) => (
          <Section key={section.title} title={section.title}>
            <div className={styles.grid}>
              {shownFields(section, initial, hidden).map((spec) => (
                <Applying key={spec.name} spec={spec}>
                  {asked.includes(spec) ? (
                    <Field spec={spec} />
                  ) : (
                    <dl className={styles.fixed}>
                      <ReadOnlyField
                        spec={spec}
                        value={initial[spec.name] ?? ""}
                        isHidden={hidden.has(spec.name)}
                      />
                    </dl>
                  )}
                </Applying>
              ))}
            </div>
            {section.below && <AskedBelow Below={section.below} />}
          </Section>
        ))}
        {below?.(slot)}
        <div className={styles.bar} data-above-toasts>
          <Button
            type="submit"
            {...SAVE_BUTTON}
            intent="primary"
            text={isSaving ? busyLabel : submitLabel}
            // Not disabled, which would lose the focus; a second click is ignored anyway.
            aria-disabled={isSaving}
            aria-busy={isSaving}
          />
          {onSavedAgain && (
            <Button
              type="submit"
              name={AGAIN}
              {...SAVE_AGAIN_BUTTON}
              text="Save and add another"
              aria-disabled={isSaving}
            />
          )}
          <Button
            text="Cancel"
            onClick={() => {
              guard.release();
              onCancel();
            }}
          />
          {below && <span ref={setSlot} role="status" />}
        </div>
      </form>
      {guard.dialog}
    </FormProvider>
  );
}

/** A field, while it applies. */
function Applying({ spec: { applies }, children }: { spec: FieldSpec; children: ReactNode }) {
  return applies ? <WhileApplying applies={applies}>{children}</WhileApplying> : children;
}

function WhileApplying({
  applies,
  children,
}: Required<Pick<FieldSpec, "applies">> & { children: ReactNode }) {
  return applies(useWatch<FormValues>() as FormValues) && children;
}

/** Renders what is below a form's section, with its current values and a setter. */
function AskedBelow({ Below }: { Below: ComponentType<SectionBelow> }) {
  const { setValue, formState } = useFormContext<FormValues>();
  const values = useWatch<FormValues>();
  const change = (changes: FormValues) => {
    for (const [name, value] of Object.entries(changes)) {
      setValue(name, value, { shouldDirty: true, shouldValidate: formState.isSubmitted });
    }
  };
  return <Below values={values as FormValues} onChange={change} />;
}
