import { HTMLSelect } from "@blueprintjs/core";
import type { ReactNode } from "react";
import { LabelledField } from "./LabelledField";

interface FilterChoiceProps {
  label: string;
  /** Label of the empty choice. */
  all?: string;
  choices: readonly { value: string; label: string }[];
  /** Empty without a filter. */
  value: string;
  onChange: (value: string) => void;
  error?: string | undefined;
  hint?: ReactNode;
}

/** A filter with a choice of values; an unknown value in the address is shown as well. */
export function FilterChoice(props: FilterChoiceProps) {
  const { label, all = "All", choices, value, onChange, error, hint } = props;
  const isKnown = value === "" || choices.some((choice) => choice.value === value);
  return (
    <LabelledField label={label} error={error} hint={hint}>
      {(control) => (
        <HTMLSelect
          {...control}
          fill
          value={value}
          onChange={({ currentTarget }) => onChange(currentTarget.value)}
          options={[{ value: "", label: all }, ...choices, ...(isKnown ? [] : [{ value, label: value }])]}
        />
      )}
    </LabelledField>
  );
}
