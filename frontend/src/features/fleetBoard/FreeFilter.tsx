import { Button, InputGroup } from "@blueprintjs/core";
import { LabelledField } from "@/shared/form/LabelledField";
import { fromInput, toInput } from "@/shared/format/localInput";
import styles from "./FleetBoardPage.module.css";

interface FreeFilterProps {
  /** Instants of the address. */
  from: string | null;
  until: string | null;
  onChange: (from: string | null, until: string | null) => void;
}

/** The time that rows must be free for; without both ends there is no filter. */
export function FreeFilter({ from, until, onChange }: FreeFilterProps) {
  const isReversed = from !== null && until !== null && Date.parse(from) >= Date.parse(until);
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset's legend cannot be laid out in a row
    <div role="group" aria-label="Free" className={styles.free}>
      <LabelledField label="Free from">
        {(control) => (
          <InputGroup
            {...control}
            type="datetime-local"
            value={toInput(from ?? "")}
            onValueChange={(text) => onChange(fromInput(text) || null, until)}
          />
        )}
      </LabelledField>
      <LabelledField label="until" error={isReversed ? "Must be after the start." : undefined}>
        {(control) => (
          <InputGroup
            {...control}
            type="datetime-local"
            value={toInput(until ?? "")}
            onValueChange={(text) => onChange(from, fromInput(text) || null)}
          />
        )}
      </LabelledField>
      {(from ?? until) !== null && (
        <Button variant="minimal" text="Clear" onClick={() => onChange(null, null)} />
      )}
    </div>
  );
}
