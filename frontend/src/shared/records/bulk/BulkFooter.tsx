import { Button, DialogFooter } from "@blueprintjs/core";
import { usePermission } from "@/shared/auth/permissions";
import { TELLS_SAVE_KEYS } from "@/shared/form/saveKeys";
import type { BulkRun, BulkState } from "./bulkRun";
import { countOutcomes } from "./outcomes";
import { doText, undoText } from "./words";

interface BulkFooterProps {
  /** The id of the form that the step at hand has. */
  form: string;
  run: BulkRun;
  state: BulkState;
  noun: string;
  /** There is nothing yet that could be checked. */
  isIdle: boolean;
  onUndo: () => void;
  onClose: () => void;
}

/** What can be done next. */
export function BulkFooter({ form, run, state, noun, isIdle, onUndo, onClose }: BulkFooterProps) {
  const { step, what, rows, isStopping = false } = state;
  const { done, open, unconfirmed } = countOutcomes(rows);
  const submit = { type: "submit", form, ...TELLS_SAVE_KEYS } as const;
  // What a change did, whoever may change takes back; what is gone comes back with all that it was.
  const mayBringBack = [usePermission("fleet:remove"), usePermission("personal:read")].every(Boolean);
  const mayUndo = mayBringBack || !rows.some(({ isGone }) => isGone);
  if (step === "checking" || step === "running") {
    const text = step === "checking" ? "Cancel" : "Stop";
    return (
      <DialogFooter
        actions={
          <Button
            text={isStopping ? "Stopping..." : text}
            aria-busy={isStopping}
            onClick={() => run.stop()}
          />
        }
      />
    );
  }
  if (step === "ended") {
    return (
      <DialogFooter
        actions={
          <>
            {mayUndo && done > 0 && <Button text={undoText(what)} onClick={onUndo} />}
            {open + unconfirmed > 0 && <Button text="Go On" onClick={() => void run.goOn()} />}
            <Button intent="primary" text="Close" onClick={onClose} />
          </>
        }
      />
    );
  }
  return (
    <DialogFooter
      actions={
        <>
          <Button text="Cancel" onClick={onClose} />
          {step === "checked" && what === "change" && <Button text="Back" onClick={() => run.ask()} />}
          {step === "asking" && what === "change" && (
            <Button {...submit} intent="primary" text="Preview" disabled={isIdle} />
          )}
          {step === "asking" && what !== "change" && (
            <Button intent="primary" text="Try Again" onClick={() => void run.check()} />
          )}
          {step === "checked" && done > 0 && (
            <Button
              {...submit}
              intent={what === "remove" ? "danger" : "primary"}
              text={doText(what, done, noun)}
            />
          )}
        </>
      }
    />
  );
}
