import { InputGroup } from "@blueprintjs/core";
import { LabelledField } from "@/shared/form/LabelledField";
import styles from "./privacy.module.css";
import { today } from "./standing";

/** Characters; the API takes no more. */
const MAX_REASON = 500;

interface FieldProps {
  value: string;
  error?: string | undefined;
  onChange: (value: string) => void;
}

/** Asks for a coming day. */
export function DayField({ label, value, error, onChange }: FieldProps & { label: string }) {
  return (
    <LabelledField label={label} isRequired error={error}>
      {(control) => (
        <InputGroup
          {...control}
          type="date"
          className={styles.day ?? ""}
          min={today()}
          max="9999-12-31"
          intent={error === undefined ? "none" : "danger"}
          value={value}
          onValueChange={onChange}
        />
      )}
    </LabelledField>
  );
}

/** Asks why. */
export function ReasonField({
  value,
  error,
  isRequired = false,
  onChange,
}: FieldProps & { isRequired?: boolean }) {
  return (
    <LabelledField
      label={isRequired ? "Reason" : "Reason (optional)"}
      isRequired={isRequired}
      error={error}
      hint="It stays in the history, and goes with what is erased."
    >
      {(control) => (
        <InputGroup
          {...control}
          maxLength={MAX_REASON}
          autoComplete="off"
          intent={error === undefined ? "none" : "danger"}
          value={value}
          onValueChange={onChange}
        />
      )}
    </LabelledField>
  );
}

/** What is wrong with a day that is to come. */
export function dayError(day: string): string | undefined {
  if (day === "") return "Give a day.";
  return day < today() ? "This day is past." : undefined;
}

/** Says what is wrong, if anything; whether nothing is. */
export function complain(error: string | undefined, say: (error: string | undefined) => void): boolean {
  say(error);
  return error === undefined;
}
