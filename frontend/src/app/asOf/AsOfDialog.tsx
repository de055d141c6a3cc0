import { Button, Dialog, DialogBody, DialogFooter, InputGroup } from "@blueprintjs/core";
import { type FormEvent, useId, useRef, useState } from "react";
import { fromLocal, type LocalTime, toLocal } from "@/shared/asOf/localTime";
import { LabelledField } from "@/shared/form/LabelledField";
import styles from "./AsOfDialog.module.css";

interface AsOfDialogProps {
  isOpen: boolean;
  /** The moment that is shown already: what the fields start from; null: they start from now. */
  asOf: string | null;
  /** Called with a past moment, RFC 3339 in UTC. */
  onView: (moment: string) => void;
  onClose: () => void;
}

/** Asks for a date and a time of the past. */
export function AsOfDialog({ isOpen, asOf, onView, onClose }: AsOfDialogProps) {
  const formId = useId();
  const introId = useId();
  const date = useRef<HTMLInputElement>(null);
  return (
    <Dialog
      isOpen={isOpen}
      title="View as of…"
      aria-describedby={introId}
      onClose={onClose}
      onOpened={() => date.current?.focus()}
      className={styles.dialog ?? ""}
    >
      <DialogBody>
        <p id={introId}>All lists and records of the management area as they were then, read-only.</p>
        <AsOfForm id={formId} asOf={asOf} dateInput={date} onView={onView} />
      </DialogBody>
      <DialogFooter
        actions={
          <>
            <Button text="Cancel" onClick={onClose} />
            <Button type="submit" form={formId} intent="primary" text="View" />
          </>
        }
      />
    </Dialog>
  );
}

interface AsOfFormProps {
  id: string;
  asOf: string | null;
  dateInput: React.RefObject<HTMLInputElement | null>;
  onView: (moment: string) => void;
}

function AsOfForm({ id, asOf, dateInput, onView }: AsOfFormProps) {
  const [fields, setFields] = useState<LocalTime>(() => toLocal(startOf(asOf)));
  const [error, setError] = useState<string>();

  const submit = (event: FormEvent) => {
    event.preventDefault();
    const moment = fromLocal(fields);
    if (moment === undefined) setError("Give a date and a time.");
    else if (moment.getTime() > Date.now()) setError("This moment is still to come.");
    else onView(moment.toISOString());
  };
  const change = (changed: Partial<LocalTime>) => {
    setFields({ ...fields, ...changed });
    setError(undefined);
  };
  const input = (describedBy: string | undefined) => ({
    intent: error === undefined ? ("none" as const) : ("danger" as const),
    "aria-invalid": error !== undefined,
    "aria-describedby": describedBy,
  });

  return (
    <form id={id} noValidate className={styles.fields} onSubmit={submit}>
      <LabelledField label="Date" error={error}>
        {({ id: inputId, describedBy }) => (
          <InputGroup
            id={inputId}
            inputRef={dateInput}
            type="date"
            max="9999-12-31"
            value={fields.date}
            onValueChange={(date) => change({ date })}
            {...input(describedBy)}
          />
        )}
      </LabelledField>
      <LabelledField label="Time">
        {({ id: inputId }) => (
          <InputGroup
            id={inputId}
            type="time"
            step={1}
            value={fields.time}
            onValueChange={(time) => change({ time })}
            {...input(undefined)}
          />
        )}
      </LabelledField>
    </form>
  );
}

function startOf(asOf: string | null): Date {
  const shown = asOf === null ? Number.NaN : Date.parse(asOf);
  return Number.isNaN(shown) ? new Date() : new Date(shown);
}
