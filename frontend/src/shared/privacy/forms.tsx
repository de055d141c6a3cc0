import { DialogBody, type Intent, Radio, RadioGroup } from "@blueprintjs/core";
import { type FormEvent, type ReactNode, useId, useState } from "react";
import { MAX_REASON } from "@/shared/batch/sendRows";
import { FormFooter } from "@/shared/form/FormFooter";
import { failureText } from "@/shared/form/failureText";
import { TextField } from "@/shared/form/TextField";
import { useCommandKey } from "@/shared/form/useCommandKey";
import { toast } from "@/shared/toast";
import { Notice } from "@/shared/ui";
import styles from "./privacy.module.css";
import { BASES, type Basis, inDays, type PrivacyStanding, type PrivacySubject, today } from "./standing";
import type { PrivacyCommands } from "./usePrivacy";

/** What the forms ask for; each asks for a part of it. */
interface Asked {
  basis: Basis;
  day: string;
  reason: string;
  /** The id, as somebody types it. */
  typed: string;
}

interface FormContext {
  subject: PrivacySubject;
  standing: PrivacyStanding;
  commands: PrivacyCommands;
}

/** What a dialog says, asks and does. */
interface PrivacyFormSpec {
  title: string;
  submitLabel: string;
  busyLabel: string;
  intent?: Intent;
  /** Above what is asked. */
  intro: ReactNode;
  asksBasis?: boolean;
  /** Asks for a coming day: its label, and the day that is proposed. */
  day?: { label: string; proposed: string };
  reason?: "optional" | "required";
  asksId?: boolean;
  send: (asked: Asked, key: string) => Promise<void>;
  /** Said when it is done. */
  done: { title: string; message: string };
}

export type PrivacyAction = "restrict" | "hold" | "endHold" | "lift" | "erase";

/** Days within which a request is to be answered, unless somebody says otherwise. */
const ANSWERED_WITHIN = 30;

const SPECS: Readonly<Record<PrivacyAction, (context: FormContext) => PrivacyFormSpec>> = {
  restrict: ({ subject: { words }, commands }) => ({
    title: "Restrict",
    submitLabel: "Restrict",
    busyLabel: "Restricting...",
    intro: <p>{words.restricting}</p>,
    asksBasis: true,
    day: { label: "Answer due", proposed: inDays(ANSWERED_WITHIN) },
    reason: "optional",
    send: ({ basis, day, reason }, key) => commands.restrict(basis, day, reason.trim(), key),
    done: { title: "Restricted", message: words.restricted },
  }),
  hold: ({ standing, commands }) => ({
    title: "Set legal hold",
    submitLabel: "Set Legal Hold",
    busyLabel: "Setting...",
    intro: (
      <p>Until the end of that day (UTC) it cannot be erased: a law or a claim demands that it be kept.</p>
    ),
    day: { label: "Keep until", proposed: standing.hold_until ?? "" },
    reason: "required",
    send: ({ day, reason }, key) => commands.hold(day, reason.trim(), key),
    done: { title: "Legal hold set", message: "It cannot be erased before that day is over." },
  }),
  endHold: ({ commands }) => ({
    title: "End legal hold?",
    submitLabel: "End Legal Hold",
    busyLabel: "Ending...",
    intro: <p>It stays restricted, and may be erased from now on by a second person.</p>,
    send: (_, key) => commands.hold(null, "", key),
    done: { title: "Legal hold ended", message: "It stays restricted, and may be erased." },
  }),
  lift: ({ subject: { words }, commands }) => ({
    title: "Lift restriction?",
    submitLabel: "Lift Restriction",
    busyLabel: "Lifting...",
    intro: <p>{words.lifting} A legal hold ends with the restriction.</p>,
    send: (_, key) => commands.lift(key),
    done: { title: "Restriction lifted", message: words.lifted },
  }),
  erase: ({ subject: { words }, standing, commands }) => ({
    title: "Erase for ever?",
    submitLabel: "Erase for Ever",
    busyLabel: "Erasing...",
    intent: "danger",
    intro: (
      <>
        <p>
          <strong>This cannot be undone by anybody.</strong>
        </p>
        <dl className={styles.fate}>
          <dt>What goes</dt>
          <dd>{words.goes(standing)}</dd>
          <dt>What stays</dt>
          <dd>
            {words.stays} {alsoStays(standing.in_the_clear)}
          </dd>
        </dl>
      </>
    ),
    asksId: true,
    send: ({ typed }, key) => commands.erase(typed.trim(), key),
    done: { title: "Being erased", message: "A receipt follows when it is gone everywhere." },
  }),
};

function alsoStays(inTheClear: number): string {
  if (inTheClear === 0) return "So does whatever has been exported.";
  const events =
    inTheClear === 1 ? "the one event that is not sealed" : `the ${inTheClear} events that are not sealed`;
  return `So do ${events}, and whatever has been exported.`;
}

/** The title of a dialog. */
export function titleOf(action: PrivacyAction, context: FormContext): string {
  return SPECS[action](context).title;
}

/** What a dialog asks; why it was refused stands in it, with all that was typed. */
export function PrivacyForm(props: FormContext & { action: PrivacyAction; onClose: () => void }) {
  const { action, standing, onClose } = props;
  const spec = SPECS[action](props);
  const [asked, setAsked] = useState<Asked>({
    ...{ basis: "asked", day: spec.day?.proposed ?? "", reason: "", typed: "" },
  });
  const [errors, setErrors] = useState<Partial<Record<keyof Asked, string | undefined>>>({});
  const [isBusy, setBusy] = useState(false);
  const [failure, setFailure] = useState<string>();
  const keyed = useCommandKey();
  const formId = useId();
  const input = (name: "day" | "reason" | "typed") => ({
    value: asked[name],
    error: errors[name],
    onChange: (value: string) => setAsked({ ...asked, [name]: value }),
  });

  const check = () => {
    const isOtherId = spec.asksId && asked.typed.trim() !== standing.id;
    const found = {
      day: spec.day && dayError(asked.day),
      reason: spec.reason === "required" && asked.reason.trim() === "" ? "Say why." : undefined,
      typed: isOtherId ? `This is not ${standing.id}.` : undefined,
    };
    setErrors(found);
    return Object.values(found).every((error) => error === undefined);
  };
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    if (isBusy || !check()) return;
    setBusy(true);
    setFailure(undefined);
    try {
      await keyed(asked, (key) => spec.send(asked, key));
    } catch (error) {
      setBusy(false);
      setFailure(failureText(error));
      return;
    }
    toast.show({ ...spec.done, intent: "success" });
    onClose();
  };

  return (
    <>
      <DialogBody>
        <form id={formId} noValidate className="fl-stack" onSubmit={(event) => void submit(event)}>
          {spec.intro}
          {spec.asksBasis && (
            <BasisChoice value={asked.basis} onChange={(basis) => setAsked({ ...asked, basis })} />
          )}
          {spec.day && (
            <TextField
              {...input("day")}
              label={spec.day.label}
              isRequired
              type="date"
              className={styles.day ?? ""}
              min={today()}
              max="9999-12-31"
            />
          )}
          {spec.reason && (
            <TextField
              {...input("reason")}
              label={spec.reason === "required" ? "Reason" : "Reason (optional)"}
              isRequired={spec.reason === "required"}
              hint="It stays in the history, and goes with what is erased."
              maxLength={MAX_REASON}
            />
          )}
          {spec.asksId && (
            <TextField
              {...input("typed")}
              label={`Type ${standing.id}`}
              isRequired
              spellCheck={false}
              onChange={(typed) => {
                setAsked({ ...asked, typed });
                setErrors({});
              }}
            />
          )}
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
        label={spec.submitLabel}
        busyLabel={spec.busyLabel}
        intent={spec.intent ?? "primary"}
        isBusy={isBusy}
        onCancel={onClose}
      />
    </>
  );
}

/** Asks on what ground. */
function BasisChoice({ value, onChange }: { value: Basis; onChange: (basis: Basis) => void }) {
  return (
    <RadioGroup
      label="Why"
      className={styles.bases ?? ""}
      selectedValue={value}
      onChange={({ currentTarget }) => onChange(currentTarget.value as Basis)}
    >
      {Object.entries(BASES).map(([basis, { title, says, source }]) => (
        <Radio key={basis} value={basis} className={styles.basis ?? ""}>
          <span className={styles.basisWords}>
            <span className={styles.basisTitle}>{title}</span> {says}
            <span className="fl-remark">{source}</span>
          </span>
        </Radio>
      ))}
    </RadioGroup>
  );
}

/** What is wrong with a day that is to come. */
function dayError(day: string): string | undefined {
  if (day === "") return "Give a day.";
  return day < today() ? "This day is past." : undefined;
}
