import { InputGroup } from "@blueprintjs/core";
import { LabelledField } from "@/shared/form/LabelledField";
import { SearchableSelect, type SelectOption } from "@/shared/form/SearchableSelect";

interface InputProps {
  label: string;
  value: string;
  onChange: (value: string) => void;
  error?: string | undefined;
}

/** A required choice out of many. */
export function SelectInput({
  label,
  value,
  onChange,
  error,
  options,
  searchPlaceholder,
}: InputProps & { options: readonly SelectOption[]; searchPlaceholder?: string }) {
  return (
    <LabelledField label={label} isRequired error={error}>
      {({ id, describedBy }) => (
        <SearchableSelect
          id={id}
          options={options}
          value={value}
          onChange={onChange}
          searchPlaceholder={searchPlaceholder}
          isRequired
          isInvalid={error !== undefined}
          describedBy={describedBy}
        />
      )}
    </LabelledField>
  );
}

/** Required text, or with a step a required number of at least 0. */
export function TextInput({
  label,
  value,
  onChange,
  error,
  step,
  placeholder,
}: InputProps & { step?: number; placeholder?: string }) {
  return (
    <LabelledField label={label} isRequired error={error}>
      {({ id, describedBy }) => (
        <InputGroup
          id={id}
          {...(step !== undefined && { type: "number", inputMode: "decimal", min: 0, step })}
          {...(placeholder !== undefined && { placeholder })}
          autoComplete="off"
          intent={error === undefined ? "none" : "danger"}
          aria-required
          aria-invalid={error !== undefined}
          aria-describedby={describedBy}
          value={value}
          onValueChange={onChange}
        />
      )}
    </LabelledField>
  );
}
