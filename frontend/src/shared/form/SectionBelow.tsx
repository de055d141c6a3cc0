import type { ComponentType } from "react";
import { useFormContext, useWatch } from "react-hook-form";
import type { FormValues, SectionBelow } from "./fields";

/** Renders what is below a form's section, with its current values and a setter. */
export function AskedBelow({ Below }: { Below: ComponentType<SectionBelow> }) {
  const { setValue, formState } = useFormContext<FormValues>();
  const values = useWatch<FormValues>();
  const change = (changes: FormValues) => {
    for (const [name, value] of Object.entries(changes)) {
      setValue(name, value, { shouldDirty: true, shouldValidate: formState.isSubmitted });
    }
  };
  return <Below values={values as FormValues} onChange={change} />;
}
