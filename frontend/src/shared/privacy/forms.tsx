import { Radio, RadioGroup } from "@blueprintjs/core";
import { useState } from "react";
import { DialogForm } from "./DialogForm";
import { complain, DayField, dayError, ReasonField } from "./fields";
import styles from "./privacy.module.css";
import { BASES, type Basis, inDays, type PrivacyStanding } from "./standing";
import type { PrivacySubject } from "./subject";
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
