import { InputGroup } from "@blueprintjs/core";
import { LabelledField } from "@/shared/form/LabelledField";

interface DayFieldProps {
  label: string;
  /** `YYYY-MM-DD`, or empty. */
  value: string;
  onChange: (day: string) => void;
}

/** A day that narrows a list. */
export function DayField({ label, value, onChange }: DayFieldProps) {
  return (
    <LabelledField label={label}>
      {({ id }) => <InputGroup id={id} type="date" max="9999-12-31" value={value} onValueChange={onChange} />}
    </LabelledField>
  );
}
