import { InputGroup } from "@blueprintjs/core";
import { LabelledField } from "@/shared/form/LabelledField";
import { SearchableSelect, type SelectOption } from "@/shared/form/SearchableSelect";

interface InputProps {
  label: string;
  value: string;
  onChange: (value: string) => void;
  error?: string | undefined;
}

interface SelectInputProps extends InputProps {
  options: readonly SelectOption[];
  searchPlaceholder?: string;
}

/** A required choice out of many. */
export function SelectInput({ label, error, ...select }: SelectInputProps) {
  return (
    <LabelledField label={label} isRequired error={error}>
      {(control) => <SearchableSelect {...select} {...control} />}
    </LabelledField>
  );
}

interface TextInputProps extends InputProps {
  step?: number | undefined;
  placeholder?: string | undefined;
}

/** Required text, or with a step a required number of at least 0. */
export function TextInput({ label, value, onChange, error, step, placeholder }: TextInputProps) {
  return (
    <LabelledField label={label} isRequired error={error}>
      {(control) => (
        <InputGroup
          {...control}
          {...(step !== undefined && { type: "number", inputMode: "decimal", min: 0, step })}
          placeholder={placeholder}
          autoComplete="off"
          intent={error === undefined ? "none" : "danger"}
          value={value}
          onValueChange={onChange}
        />
      )}
    </LabelledField>
  );
}
