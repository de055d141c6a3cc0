import { InputGroup } from "@blueprintjs/core";
import { useFormContext } from "react-hook-form";
import { LabelledField } from "@/shared/form/LabelledField";
import type { RouteValues } from "./routeSchema";

interface AmountFieldProps {
  name: `segments.${number}.estimatedDistance` | `segments.${number}.estimatedTime`;
  label: string;
  /** The least there is, and how far the arrow keys go. */
  min: number;
  step: number;
}

/** A distance or a time, typed or stepped through. */
export function AmountField({ name, label, min, step }: AmountFieldProps) {
  const { register, trigger, getFieldState, formState } = useFormContext<RouteValues>();
  const { error } = getFieldState(name, formState);
  // The form's own mode for this would find fault with a stop that has just been added.
  const { ref, ...registered } = register(name, { onBlur: () => trigger(name) });
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
