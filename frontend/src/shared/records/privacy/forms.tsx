import { InputGroup, Radio, RadioGroup } from "@blueprintjs/core";
import { useState } from "react";
import { LabelledField } from "@/shared/form/LabelledField";
import { BASES, type Basis, inDays, type PrivacyStanding, today } from "@/shared/privacy/standing";
import { DialogForm } from "./DialogForm";
import styles from "./privacy.module.css";
import type { PrivacyCommands } from "./usePrivacy";

export interface PrivacyFormProps {
  standing: PrivacyStanding;
  /** What it is, e.g. `driver`. */
  noun: string;
  /** What people call its id, e.g. `Employee Number`. */
  idLabel: string;
  commands: PrivacyCommands;
  onClose: () => void;
}

/** Characters; the API takes no more. */
const MAX_REASON = 500;
/** Days within which a request is to be answered, unless somebody says otherwise. */
const ANSWERED_WITHIN = 30;

/** Why it is restricted, and until when whoever has asked is to be answered. */
export function RestrictForm({ noun, commands, onClose }: PrivacyFormProps) {
  const [basis, setBasis] = useState<Basis>("asked");
  const [due, setDue] = useState(() => inDays(ANSWERED_WITHIN));
  const [reason, setReason] = useState("");
  const [dueError, setDueError] = useState<string>();
  return (
    <DialogForm
      submitLabel="Restrict"
      busyLabel="Restricting..."
      intent="primary"
      values={{ basis, due, reason }}
      check={() => complain(dayError(due), setDueError)}
      send={(key) => commands.restrict(basis, due, reason.trim(), key)}
      done={{ title: "Restricted", message: `Nothing of this ${noun} can be changed until that is lifted.` }}
      onClose={onClose}
    >
      <p>
        Its personal data is hidden from all who may not restrict, and found by no search. Nothing of it can
        be changed or removed.
      </p>
      <RadioGroup
        label="Why"
        className={styles.bases ?? ""}
        selectedValue={basis}
        onChange={({ currentTarget }) => setBasis(currentTarget.value as Basis)}
      >
        {Object.entries(BASES).map(([value, { title, says, source }]) => (
          <Radio key={value} value={value} className={styles.basis ?? ""}>
            <span className={styles.basisWords}>
              <span className={styles.basisTitle}>{title}</span> {says}
              <span className="fl-remark">{source}</span>
            </span>
          </Radio>
        ))}
      </RadioGroup>
      <DayField label="Answer due" value={due} error={dueError} onChange={setDue} />
      <ReasonField value={reason} onChange={setReason} />
    </DialogForm>
  );
}

/** Until when it must be kept, and why. */
export function HoldForm({ standing, commands, onClose }: PrivacyFormProps) {
  const [until, setUntil] = useState(standing.hold_until ?? "");
  const [reason, setReason] = useState("");
  const [untilError, setUntilError] = useState<string>();
  const [reasonError, setReasonError] = useState<string>();
  return (
    <DialogForm
      submitLabel="Set Legal Hold"
      busyLabel="Setting..."
      intent="primary"
      values={{ until, reason }}
      check={() => {
        const isDay = complain(dayError(until), setUntilError);
        return complain(reason.trim() === "" ? "Say why." : undefined, setReasonError) && isDay;
      }}
      send={(key) => commands.hold(until, reason.trim(), key)}
      done={{ title: "Legal hold set", message: "It cannot be erased before that day is over." }}
      onClose={onClose}
    >
      <p>Until the end of that day (UTC) it cannot be erased: a law or a claim demands that it be kept.</p>
      <DayField label="Keep until" value={until} error={untilError} onChange={setUntil} />
      <ReasonField value={reason} error={reasonError} isRequired onChange={setReason} />
    </DialogForm>
  );
}

/** Whether it need not be kept any more. */
export function EndHoldForm({ commands, onClose }: PrivacyFormProps) {
  return (
    <DialogForm
      submitLabel="End Legal Hold"
      busyLabel="Ending..."
      intent="primary"
      values="end"
      send={(key) => commands.hold(null, "", key)}
      done={{ title: "Legal hold ended", message: "It stays restricted, and may be erased." }}
      onClose={onClose}
    >
      <p>It stays restricted, and may be erased from now on by a second person.</p>
    </DialogForm>
  );
}

/** Whether it may be used again. */
export function LiftForm({ noun, commands, onClose }: PrivacyFormProps) {
  return (
    <DialogForm
      submitLabel="Lift Restriction"
      busyLabel="Lifting..."
      intent="primary"
      values="lift"
      send={commands.lift}
      done={{ title: "Restriction lifted", message: `This ${noun} can be used as before.` }}
      onClose={onClose}
    >
      <p>
        Its personal data is shown and found again, and it can be changed. A legal hold ends with the
        restriction. That it was restricted stays in its history.
      </p>
    </DialogForm>
  );
}

/** Whether it is to be erased: confirmed by typing its id. */
export function EraseForm({ standing, noun, idLabel, commands, onClose }: PrivacyFormProps) {
  const [typed, setTyped] = useState("");
  const [error, setError] = useState<string>();
  const name = idLabel.toLowerCase();
  const clear = standing.in_the_clear;
  return (
    <DialogForm
      submitLabel="Erase for Ever"
      busyLabel="Erasing..."
      intent="danger"
      values={typed}
      check={() => complain(typed.trim() === standing.id ? undefined : `This is not its ${name}.`, setError)}
      send={(key) => commands.erase(typed.trim(), key)}
      done={{ title: "Being erased", message: "A receipt follows when it is gone everywhere." }}
      onClose={onClose}
    >
      <p>
        <strong>This cannot be undone by anybody.</strong>
      </p>
      <dl className={styles.fate}>
        <dt>What goes</dt>
        <dd>
          The key that all of its personal data is sealed under, and with it every value, reason and name in
          its {standing.events} events: in the log, its copies and backups.
        </dd>
        <dt>What stays</dt>
        <dd>
          That there was a {noun} with this {name}, what kind of change was made to it and when, by which
          subject, and what is personal to nobody.
          {clear > 0 && ` So do ${eventsInTheClear(clear)}, and whatever has been exported.`}
          {clear === 0 && " So does whatever has been exported."}
        </dd>
      </dl>
      <LabelledField label={`Type its ${name}, ${standing.id}`} isRequired error={error}>
        {(control) => (
          <InputGroup
            {...control}
            autoComplete="off"
            spellCheck={false}
            intent={error === undefined ? "none" : "danger"}
            value={typed}
            onValueChange={(text) => {
              setTyped(text);
              setError(undefined);
            }}
          />
        )}
      </LabelledField>
    </DialogForm>
  );
}

function eventsInTheClear(count: number): string {
  return count === 1 ? "the one event that is not sealed" : `the ${count} events that are not sealed`;
}

interface FieldProps {
  value: string;
  error?: string | undefined;
  onChange: (value: string) => void;
}

function DayField({ label, value, error, onChange }: FieldProps & { label: string }) {
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

function ReasonField({ value, error, isRequired = false, onChange }: FieldProps & { isRequired?: boolean }) {
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

function dayError(day: string): string | undefined {
  if (day === "") return "Give a day.";
  return day < today() ? "This day is past." : undefined;
}

/** Says what is wrong, if anything; whether nothing is. */
function complain(error: string | undefined, say: (error: string | undefined) => void): boolean {
  say(error);
  return error === undefined;
}
