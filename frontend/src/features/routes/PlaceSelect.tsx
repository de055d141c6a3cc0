import { HTMLSelect } from "@blueprintjs/core";
import { LabelledField } from "@/shared/form/LabelledField";
import { PLACES } from "./places";
import { useRouteField } from "./useRouteField";

interface PlaceSelectProps {
  name: "startingLocation" | `segments.${number}.destination`;
  label: string;
  /** Stands there until a place is chosen. */
  prompt: string;
}

/** A place out of the fixed list. */
export function PlaceSelect({ name, label, prompt }: PlaceSelectProps) {
  const { ref, registered, error } = useRouteField(name);
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
