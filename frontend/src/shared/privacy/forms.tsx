import { type Intent, Radio, RadioGroup } from "@blueprintjs/core";
import { type ReactNode, useState } from "react";
import { failureText } from "@/shared/auth/refusal";
import { MAX_REASON } from "@/shared/batch/sendRows";
import type { SendKeyed } from "@/shared/form";
import { DateField } from "@/shared/form/DateField";
import { FormDialog } from "@/shared/form/FormDialog";
import { TextField } from "@/shared/form/TextField";
import { toast } from "@/shared/toast";
import { Notice } from "@/shared/ui";
import { keepFocus } from "@/shared/ui/ConfirmDialog";
import styles from "./privacy.module.css";
import { BASES, type Basis, inDays, type PrivacyStatus, type PrivacySubject, today } from "./status";
import { type PrivacyCommand, usePrivacyCommand } from "./usePrivacy";

/** The values of all forms; each form shows some of them. */
interface Asked {
  basis: Basis;
  day: string;
  reason: string;
  /** The id, typed to confirm. */
  typed: string;
}

interface FormContext {
  subject: PrivacySubject;
  status: PrivacyStatus;
}

/** A dialog's texts, fields and command. */
interface PrivacyFormSpec {
  title: string;
  submitLabel: string;
  busyLabel: string;
  intent?: Intent;
  intro: ReactNode;
  asksBasis?: boolean;
  /** A date field: its label and default. */
  day?: { label: string; proposed: string };
  reason?: "optional" | "required";
  asksId?: boolean;
  command: (asked: Asked) => PrivacyCommand;
  done: { title: string; message: string };
}

export type PrivacyAction = "restrict" | "hold" | "endHold" | "lift" | "erase";

/** Default days to answer a request. */
const ANSWERED_WITHIN = 30;

const SPECS: Readonly<Record<PrivacyAction, (context: FormContext) => PrivacyFormSpec>> = {
  restrict: ({ subject: { words } }) => ({
    title: "Restrict",
    submitLabel: "Restrict",
    busyLabel: "Restricting...",
    intro: <p>{words.restricting}</p>,
    asksBasis: true,
    day: { label: "Answer due", proposed: inDays(ANSWERED_WITHIN) },
    reason: "optional",
    command: ({ basis, day, reason }) => ({
      ...{ method: "post", to: "restriction", body: { basis, due: day }, reason },
    }),
    done: { title: "Restricted", message: words.restricted },
  }),
  hold: ({ status }) => ({
    title: "Set legal hold",
    submitLabel: "Set Legal Hold",
    busyLabel: "Setting...",
    intro: (
      <p>Until the end of that day (UTC), erasure is blocked because a law or a claim requires the data.</p>
    ),
    day: { label: "Keep until", proposed: status.hold_until ?? "" },
    reason: "required",
    command: ({ day, reason }) => ({
      ...{ method: "put", to: "restriction/hold", body: { until: day }, reason },
    }),
    done: { title: "Legal hold set", message: "Erasure is blocked until that day is over." },
  }),
  endHold: () => ({
    title: "End legal hold?",
    submitLabel: "End Legal Hold",
    busyLabel: "Ending...",
    intro: <p>The restriction stays. From now on a second person may erase.</p>,
    command: () => ({ method: "put", to: "restriction/hold", body: { until: null } }),
    done: { title: "Legal hold ended", message: "The restriction stays, and erasure is possible." },
  }),
  lift: ({ subject: { words } }) => ({
    title: "Lift restriction?",
    submitLabel: "Lift Restriction",
    busyLabel: "Lifting...",
    intro: <p>{words.lifting} A legal hold ends with the restriction.</p>,
    command: () => ({ method: "delete", to: "restriction" }),
    done: { title: "Restriction lifted", message: words.lifted },
  }),
  erase: ({ subject: { words }, status }) => ({
    title: "Erase permanently?",
    submitLabel: "Erase Permanently",
    busyLabel: "Erasing...",
    intent: "danger",
    intro: (
      <>
        <p>
          <strong>This cannot be undone.</strong>
        </p>
        <dl className={styles.fate}>
          <dt>Erased</dt>
          <dd>{words.goes(status)}</dd>
          <dt>Kept</dt>
          <dd>
            {words.stays} {alsoStays(status.in_the_clear)}
          </dd>
        </dl>
      </>
    ),
    asksId: true,
    command: ({ typed }) => ({ method: "post", to: "erasure", body: { confirm: typed.trim() } }),
    done: { title: "Erasure started", message: "A receipt follows when the data is gone everywhere." },
  }),
};

function alsoStays(inTheClear: number): string {
  if (inTheClear === 0) return "Exported copies stay as well.";
  const events = inTheClear === 1 ? "one unencrypted event" : `${inTheClear} unencrypted events`;
  return `So do ${events} and exported copies.`;
}

interface PrivacyDialogProps extends FormContext {
  action: PrivacyAction;
  isOpen: boolean;
  onClose: () => void;
}

/** Asks for the details of an action and sends it; a refusal is shown in the dialog, which keeps its input. */
export function PrivacyDialog(props: PrivacyDialogProps) {
  const { action, subject, status, isOpen, onClose } = props;
  const spec = SPECS[action](props);
  const [asked, setAsked] = useState<Asked>({
    ...{ basis: "asked", day: spec.day?.proposed ?? "", reason: "", typed: "" },
  });
  const [errors, setErrors] = useState<Partial<Record<keyof Asked, string | undefined>>>({});
  const [failure, setFailure] = useState<string>();
  const send = usePrivacyCommand(subject);
  const input = (name: "day" | "reason" | "typed") => ({
    value: asked[name],
    error: errors[name],
    onChange: (value: string) => setAsked({ ...asked, [name]: value }),
  });

  const check = () => {
    const isOtherId = spec.asksId && asked.typed.trim() !== status.id;
    const found = {
      day: spec.day && dayError(asked.day),
      reason: spec.reason === "required" && asked.reason.trim() === "" ? "Enter a reason." : undefined,
      typed: isOtherId ? `This is not ${status.id}.` : undefined,
    };
    setErrors(found);
    return Object.values(found).every((error) => error === undefined);
  };
  const submit = async (keyed: SendKeyed) => {
    if (!check()) return false;
    setFailure(undefined);
    try {
      await keyed(asked, (key) => send(spec.command(asked), key));
    } catch (error) {
      setFailure(failureText(error));
      return false;
    }
    toast.show({ ...spec.done, intent: "success" });
    onClose();
    return true;
  };

  return (
    <FormDialog
      isOpen={isOpen}
      title={spec.title}
      className={styles.dialog ?? ""}
      submitLabel={spec.submitLabel}
      busyLabel={spec.busyLabel}
      submitIntent={spec.intent}
      notice={
        // Outside the scrolling body, where it would be out of sight on a phone.
        failure !== undefined && (
          <Notice role="alert" intent="danger">
            {failure}
          </Notice>
        )
      }
      send={submit}
      onClose={onClose}
      // The button that opened the dialog may be gone by then.
      onClosed={keepFocus}
    >
      {spec.intro}
      {spec.asksBasis && (
        <BasisChoice value={asked.basis} onChange={(basis) => setAsked({ ...asked, basis })} />
      )}
      {spec.day && <DateField {...input("day")} label={spec.day.label} isRequired className={styles.day} />}
      {spec.reason && (
        <TextField
          {...input("reason")}
          label={spec.reason === "required" ? "Reason" : "Reason (optional)"}
          isRequired={spec.reason === "required"}
          hint="Kept in the history, and erased with the data."
          maxLength={MAX_REASON}
        />
      )}
      {spec.asksId && (
        <TextField
          {...input("typed")}
          label={`Type ${status.id}`}
          isRequired
          spellCheck={false}
          onChange={(typed) => {
            setAsked({ ...asked, typed });
            setErrors({});
          }}
        />
      )}
    </FormDialog>
  );
}

function BasisChoice({ value, onChange }: { value: Basis; onChange: (basis: Basis) => void }) {
  return (
    <RadioGroup
      label="Ground"
      className={styles.bases ?? ""}
      selectedValue={value}
      onChange={({ currentTarget }) => onChange(currentTarget.value as Basis)}
    >
      {Object.entries(BASES).map(([basis, { title, says, source }]) => (
        <Radio key={basis} value={basis} className="fl-choice">
          <span>
            <span className="fl-block fl-strong">{title}</span> {says}
            <span className="fl-remark">{source}</span>
          </span>
        </Radio>
      ))}
    </RadioGroup>
  );
}

function dayError(day: string): string | undefined {
  if (day === "") return "Enter a date.";
  return day < today() ? "This date is in the past." : undefined;
}
