import { useState } from "react";
import { DateInput, type DateInputProps } from "./DateInput";
import { dayProblem } from "./dayText";
import { LabelledField } from "./LabelledField";

interface DateFieldProps extends Pick<DateInputProps, "inputRef" | "className"> {
  label: string;
  isRequired?: boolean | undefined;
  error?: string | undefined;
  /** A day (`YYYY-MM-DD`), or empty. */
  value: string;
  /** Called with a day; empty for no text and for text that is no date, as by the browser's own field. */
  onChange: (day: string) => void;
}

/** A labelled date outside record forms; it refuses text that is no date itself. */
export function DateField({ label, isRequired, error, value, onChange, ...input }: DateFieldProps) {
  /** Text that is no date. */
  const [refused, setRefused] = useState<string>();
  const [isFocused, setFocused] = useState(false);
  const problem = refused === undefined || isFocused ? undefined : dayProblem(refused);
  return (
    <LabelledField label={label} isRequired={isRequired} error={problem ?? error}>
      {(control) => (
        <DateInput
          {...control}
          {...input}
          value={refused ?? value}
          onChange={(text) => {
            const isRefused = dayProblem(text) !== undefined;
            setRefused(isRefused ? text : undefined);
            onChange(isRefused ? "" : text);
          }}
          onFocus={() => setFocused(true)}
          onBlur={() => setFocused(false)}
        />
      )}
    </LabelledField>
  );
}
