import { DialogBody, InputGroup, type Intent, Radio, RadioGroup } from "@blueprintjs/core";
import { type FormEvent, type ReactNode, useId, useState } from "react";
import { FormFooter } from "@/shared/form/FormFooter";
import { failureText } from "@/shared/form/failureText";
import { LabelledField } from "@/shared/form/LabelledField";
import { useCommandKey } from "@/shared/form/useCommandKey";
import { toast } from "@/shared/toast";
import { Notice } from "@/shared/ui";
import styles from "./privacy.module.css";
import { BASES, type Basis, inDays, type PrivacyStanding, type PrivacySubject, today } from "./standing";
import type { PrivacyCommands } from "./usePrivacy";

export interface PrivacyFormProps {
  subject: PrivacySubject;
  standing: PrivacyStanding;
  commands: PrivacyCommands;
  onClose: () => void;
}

/** Days within which a request is to be answered, unless somebody says otherwise. */
const ANSWERED_WITHIN = 30;

/** Why it is restricted, and until when whoever has asked is to be answered. */
export function RestrictForm({ subject, commands, onClose }: PrivacyFormProps) {
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
      done={{ title: "Restricted", message: subject.words.restricted }}
      onClose={onClose}
    >
      <p>{subject.words.restricting}</p>
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
export function LiftForm({ subject, commands, onClose }: PrivacyFormProps) {
  return (
    <DialogForm
      submitLabel="Lift Restriction"
      busyLabel="Lifting..."
      intent="primary"
      values="lift"
      send={commands.lift}
      done={{ title: "Restriction lifted", message: subject.words.lifted }}
      onClose={onClose}
    >
      <p>{subject.words.lifting} A legal hold ends with the restriction.</p>
    </DialogForm>
  );
}

/** Whether it is to be erased: confirmed by typing its id. */
export function EraseForm({ subject, standing, commands, onClose }: PrivacyFormProps) {
  const [typed, setTyped] = useState("");
  const [error, setError] = useState<string>();
  const { words } = subject;
  const clear = standing.in_the_clear;
  return (
    <DialogForm
      submitLabel="Erase for Ever"
      busyLabel="Erasing..."
      intent="danger"
      values={typed}
      check={() =>
        complain(typed.trim() === standing.id ? undefined : `This is not ${standing.id}.`, setError)
      }
      send={(key) => commands.erase(typed.trim(), key)}
      done={{ title: "Being erased", message: "A receipt follows when it is gone everywhere." }}
      onClose={onClose}
    >
      <p>
        <strong>This cannot be undone by anybody.</strong>
      </p>
      <dl className={styles.fate}>
        <dt>What goes</dt>
        <dd>{words.goes(standing)}</dd>
        <dt>What stays</dt>
        <dd>
          {words.stays}
          {clear > 0 && ` So do ${eventsInTheClear(clear)}, and whatever has been exported.`}
          {clear === 0 && " So does whatever has been exported."}
        </dd>
      </dl>
      <LabelledField label={`Type ${standing.id}`} isRequired error={error}>
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

/** Characters; the API takes no more. */
const MAX_REASON = 500;

interface FieldProps {
  value: string;
  error?: string | undefined;
  onChange: (value: string) => void;
}

/** Asks for a coming day. */
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

/** Asks why. */
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

/** What is wrong with a day that is to come. */
function dayError(day: string): string | undefined {
  if (day === "") return "Give a day.";
  return day < today() ? "This day is past." : undefined;
}

/** Says what is wrong, if anything; whether nothing is. */
function complain(error: string | undefined, say: (error: string | undefined) => void): boolean {
  say(error);
  return error === undefined;
}

interface DialogFormProps {
  submitLabel: string;
  busyLabel: string;
  intent: Intent;
  /** What is asked for: the same under the same key. */
  values: unknown;
  /** Whether it may be sent; says what is wrong otherwise. */
  check?: () => boolean;
  send: (key: string) => Promise<void>;
  /** Said when it is done. */
  done: { title: string; message: string };
  onClose: () => void;
  children: ReactNode;
}

/** What a dialog asks; why it was refused stands in it, with all that was typed. */
function DialogForm(props: DialogFormProps) {
  const { submitLabel, busyLabel, intent, values, check, send, done, onClose, children } = props;
  const [isBusy, setBusy] = useState(false);
  const [failure, setFailure] = useState<string>();
  const keyed = useCommandKey();
  const formId = useId();

  const submit = async (event: FormEvent) => {
    event.preventDefault();
    if (isBusy || check?.() === false) return;
    setBusy(true);
    setFailure(undefined);
    try {
      await keyed(values, send);
    } catch (error) {
      setBusy(false);
      setFailure(failureText(error));
      return;
    }
    toast.show({ ...done, intent: "success" });
    onClose();
  };

  return (
    <>
      <DialogBody>
        <form id={formId} noValidate className="fl-stack" onSubmit={(event) => void submit(event)}>
          {children}
        </form>
      </DialogBody>
      {failure !== undefined && (
        // Not in what scrolls: there it would be out of sight on a phone.
        <div className={styles.refused}>
          <Notice role="alert" intent="danger">
            {failure}
          </Notice>
        </div>
      )}
      <FormFooter
        form={formId}
        label={submitLabel}
        busyLabel={busyLabel}
        intent={intent}
        isBusy={isBusy}
        onCancel={onClose}
      />
    </>
  );
}
