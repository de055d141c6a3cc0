import { InputGroup } from "@blueprintjs/core";
import { useRef, useState } from "react";
import type { PanelProps } from "@/app/useLazyPanel";
import { useAsOf, useTimeTravel } from "@/shared/asOf";
import { fromLocal, type LocalTime, toLocal } from "@/shared/asOf/asOf";
import { DateField } from "@/shared/form/DateField";
import { FormDialog } from "@/shared/form/FormDialog";
import { LabelledField } from "@/shared/form/LabelledField";
import styles from "./asOf.module.css";

/** Asks for a date and time of the past, initially the moment in view, and navigates to it. */
export function AsOfDialog({ isOpen, onClose }: PanelProps) {
  const { asOf } = useAsOf();
  const { goTo } = useTimeTravel();
  const date = useRef<HTMLInputElement>(null);
  const [fields, setFields] = useState(() => {
    const shown = Date.parse(asOf ?? "");
    return toLocal(Number.isNaN(shown) ? new Date() : new Date(shown));
  });
  const [error, setError] = useState<string>();
  const view = () => {
    const moment = fromLocal(fields);
    if (moment === undefined) setError("Enter a date and a time.");
    else if (moment.getTime() > Date.now()) setError("This moment is in the future.");
    else {
      onClose();
      goTo(moment.toISOString());
    }
    return false;
  };
  const change = (name: keyof LocalTime, value: string) => {
    setFields({ ...fields, [name]: value });
    setError(undefined);
  };
  return (
    <FormDialog
      isOpen={isOpen}
      title="View as of…"
      intro="Shows all lists and records of the management area as of that time, read-only."
      isCloseButtonShown
      canOutsideClickClose
      submitLabel="View"
      send={view}
      onClose={onClose}
      onOpened={() => date.current?.focus()}
    >
      <div className={styles.fields}>
        <DateField
          label="Date"
          error={error}
          value={fields.date}
          onChange={(value) => change("date", value)}
          inputRef={date}
        />
        <LabelledField label="Time">
          {(control) => (
            <InputGroup
              {...control}
              type="time"
              intent={error === undefined ? "none" : "danger"}
              value={fields.time}
              onValueChange={(value) => change("time", value)}
              aria-invalid={error !== undefined}
              step={1}
            />
          )}
        </LabelledField>
      </div>
    </FormDialog>
  );
}
