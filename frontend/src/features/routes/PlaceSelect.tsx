import { HTMLSelect } from "@blueprintjs/core";
import { useFormContext } from "react-hook-form";
import { LabelledField } from "@/shared/form/LabelledField";
import { PLACES } from "./places";
import type { RouteValues } from "./routeSchema";

interface PlaceSelectProps {
  name: "startingLocation" | `segments.${number}.destination`;
  label: string;
  /** Stands there until a place is chosen. */
  prompt: string;
}

/** A place out of the fixed list. */
export function PlaceSelect({ name, label, prompt }: PlaceSelectProps) {
  const { register, trigger, getFieldState, formState } = useFormContext<RouteValues>();
  const { error } = getFieldState(name, formState);
  // The form's own mode for this would find fault with a stop that has just been added.
  const { ref, ...registered } = register(name, { onBlur: () => trigger(name) });
  return (
    <LabelledField label={label} isRequired error={error?.message}>
      {({ id, describedBy }) => (
        <HTMLSelect
          {...registered}
          id={id}
          ref={ref}
          aria-required
          aria-invalid={error !== undefined}
          aria-describedby={describedBy}
          fill
          options={[{ value: "", label: prompt }, ...PLACES]}
        />
      )}
    </LabelledField>
  );
}
