import { InputGroup } from "@blueprintjs/core";
import { type FormEvent, useRef, useState } from "react";
import { MAX_REASON } from "@/shared/batch/sendRows";
import { LabelledField } from "@/shared/form/LabelledField";

interface ConfirmFormProps {
  id: string;
  /** What has to be typed first, for it would be much to lose by a slip. */
  typed: string | undefined;
  /** Offered. */
  reason?: string | undefined;
  onConfirm: (reason: string) => void;
}

/** Asks why, and whether it is meant. */
export function ConfirmForm({ id, typed, reason: offered = "", onConfirm }: ConfirmFormProps) {
  const [reason, setReason] = useState(offered);
  const [text, setText] = useState("");
  const [isWrong, setWrong] = useState(false);
  const number = useRef<HTMLInputElement>(null);

  const submit = (event: FormEvent) => {
    event.preventDefault();
    const isMeant = typed === undefined || text.trim() === typed;
    setWrong(!isMeant);
    if (isMeant) onConfirm(reason.trim());
    else number.current?.focus();
  };

  return (
    <form id={id} className="fl-stack" noValidate onSubmit={submit}>
      <LabelledField label="Reason (optional)">
        {(control) => (
          <InputGroup
            {...control}
            maxLength={MAX_REASON}
            autoComplete="off"
            value={reason}
            onValueChange={setReason}
          />
        )}
      </LabelledField>
      {typed !== undefined && (
        <LabelledField
          label={`Type ${typed} to confirm`}
          isRequired
          error={isWrong ? `Type ${typed}, how many will be deleted.` : undefined}
        >
          {(control) => (
            <InputGroup
              {...control}
              inputRef={number}
              autoComplete="off"
              inputMode="numeric"
              intent={isWrong ? "danger" : "none"}
              value={text}
              onValueChange={(changed) => {
                setText(changed);
                setWrong(false);
              }}
            />
          )}
        </LabelledField>
      )}
    </form>
  );
}
