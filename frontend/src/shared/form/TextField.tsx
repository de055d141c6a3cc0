import { InputGroup, type InputGroupProps } from "@blueprintjs/core";
import { LabelledField } from "./LabelledField";

interface TextFieldProps extends Omit<InputGroupProps, "onChange" | "intent" | "id"> {
  label: string;
  value: string;
  isRequired?: boolean | undefined;
  error?: string | undefined;
  hint?: string | undefined;
  onChange: (value: string) => void;
}

/** A labelled text, date or time input with an error or hint. */
export function TextField({ label, isRequired, error, hint, onChange, ...input }: TextFieldProps) {
  return (
    <LabelledField label={label} isRequired={isRequired} error={error} hint={hint}>
      {(control) => (
        <InputGroup
          autoComplete="off"
          {...control}
          intent={error === undefined ? "none" : "danger"}
          {...input}
          onValueChange={onChange}
        />
      )}
    </LabelledField>
  );
}
