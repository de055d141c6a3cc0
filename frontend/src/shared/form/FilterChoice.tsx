import { HTMLSelect } from "@blueprintjs/core";
import type { ReactNode } from "react";
import { LabelledField } from "./LabelledField";

interface FilterChoiceProps {
  label: string;
  /** What not to narrow at all is called. */
  all?: string;
  choices: readonly { value: string; label: string }[];
  /** Empty: it does not narrow. */
  value: string;
  onChange: (value: string) => void;
  /** The choices are our words, and shown as titles. */
  isCapitalized?: boolean;
  /** What is wrong with it. */
  error?: string | undefined;
  /** What is to be known of it. */
  hint?: ReactNode;
}

/** A filter that is chosen; what an address asks for is shown, also where there is no such choice. */
export function FilterChoice(props: FilterChoiceProps) {
  const { label, all = "All", choices, value, onChange, isCapitalized, error, hint } = props;
  const isKnown = value === "" || choices.some((choice) => choice.value === value);
  return (
    <LabelledField label={label} error={error} hint={hint}>
      {(control) => (
        <HTMLSelect
          {...control}
          fill
          data-capitalized={isCapitalized || undefined}
          value={value}
          onChange={({ currentTarget }) => onChange(currentTarget.value)}
          options={[{ value: "", label: all }, ...choices, ...(isKnown ? [] : [{ value, label: value }])]}
        />
      )}
    </LabelledField>
  );
}
