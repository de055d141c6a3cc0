import { InputGroup } from "@blueprintjs/core";
import { LabelledField } from "@/shared/form/LabelledField";
import { useRouteField } from "./useRouteField";

interface AmountFieldProps {
  name: `segments.${number}.estimatedDistance` | `segments.${number}.estimatedTime`;
  label: string;
  /** The least there is, and how far the arrow keys go. */
  min: number;
  step: number;
}

/** A distance or a time, typed or stepped through. */
export function AmountField({ name, label, min, step }: AmountFieldProps) {
  const { ref, registered, error } = useRouteField(name);
  return (
    <LabelledField label={label} isRequired error={error?.message}>
      {({ id, describedBy }) => (
        <InputGroup
          {...registered}
          id={id}
          inputRef={ref}
          type="number"
          min={min}
          step={step}
          inputMode={step < 1 ? "decimal" : "numeric"}
          autoComplete="off"
          intent={error ? "danger" : "none"}
          aria-required
          aria-invalid={error !== undefined}
          aria-describedby={describedBy}
        />
      )}
    </LabelledField>
  );
}
