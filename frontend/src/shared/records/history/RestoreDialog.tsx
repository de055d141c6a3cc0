import { Dialog, DialogBody } from "@blueprintjs/core";
import { type FormEvent, useId, useRef, useState } from "react";
import { isOutdated } from "@/shared/api/client";
import { refusalText } from "@/shared/auth/refusal";
import { MAX_REASON } from "@/shared/batch/sendRows";
import { FormFooter } from "@/shared/form/FormFooter";
import { TextField } from "@/shared/form/TextField";
import { useCommandKey } from "@/shared/form/useCommandKey";
import { type Change, FieldChanges, isEnd, namedChanges } from "@/shared/history";
import { toast } from "@/shared/toast";
import { Loaded } from "@/shared/ui";
import type { RecordProps } from "../definition";
import { useRecordCommands } from "../useRecordCommands";
import styles from "./history.module.css";
import { COMPARING, useDifference } from "./useHistory";

interface RestoreDialogProps extends RecordProps {
  version: number;
  latest: Change;
  onRestored: () => void;
  onClose: () => void;
}

/** Shows the changes that restoring a version would make, asks for a reason, and restores it. */
export function RestoreDialog(props: RestoreDialogProps) {
  const { definition, id, version, latest, onClose } = props;
  const query = useDifference(definition.api, id, latest.version, version);
  const { data } = query;
  const { labels } = definition;
  const [reason, setReason] = useState("");
  const [isReasonMissing, setReasonMissing] = useState(false);
  const { isBusy, restore } = useRestoring(props);
  const input = useRef<HTMLInputElement>(null);
  const formId = useId();
  const introId = useId();
  const isRemoved = isEnd(latest.type);
  const isSame = data?.changes.length === 0;

  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (isBusy || isSame || data === undefined) return;
    setReasonMissing(reason.trim() === "");
    if (reason.trim() === "") input.current?.focus();
    else void restore(reason.trim());
  };

  return (
    <Dialog
      isOpen
      title={`Restore version ${version}?`}
      aria-describedby={introId}
      className={`${styles.dialog} ${styles.restore}`}
      canOutsideClickClose={false}
      canEscapeKeyClose={!isBusy}
      isCloseButtonShown={false}
      onClose={onClose}
      onOpened={() => input.current?.focus()}
    >
      <DialogBody>
        <p id={introId}>
          {isRemoved
            ? `The ${definition.api.noun} will be registered again with the values of this version.`
            : "All values will be reset to this version."}{" "}
          The history is kept: restoring adds a change.
        </p>
        <Loaded query={query} {...COMPARING}>
          {(difference) =>
            isSame ? (
              <p>Nothing would change: the {definition.api.noun} already has these values.</p>
            ) : (
              <div className={styles.outcome}>
                <FieldChanges
                  changes={namedChanges(labels, difference)}
                  labels={labels}
                  isFirst={isRemoved}
                />
              </div>
            )
          }
        </Loaded>
        <form id={formId} noValidate onSubmit={submit}>
          <TextField
            label="Reason"
            isRequired
            error={isReasonMissing ? "Enter a reason." : undefined}
            inputRef={input}
            maxLength={MAX_REASON}
            value={reason}
            onChange={(text) => {
              setReason(text);
              setReasonMissing(false);
            }}
          />
        </form>
      </DialogBody>
      <FormFooter
        form={formId}
        label="Restore"
        busyLabel="Restoring..."
        intent="primary"
        isBusy={isBusy}
        isIdle={isSame || data === undefined}
        onCancel={onClose}
      />
    </Dialog>
  );
}

function useRestoring({ definition, id, version, latest, onRestored, onClose }: RestoreDialogProps) {
  const { api } = definition;
  const [isBusy, setBusy] = useState(false);
  const commands = useRecordCommands(api);
  const keyed = useCommandKey();

  const restore = async (reason: string) => {
    setBusy(true);
    try {
      const known = latest.etag;
      let restored: Awaited<ReturnType<typeof commands.restore>> | undefined;
      await keyed({ version, known, reason }, async (key) => {
        restored = await commands.restore(id, version, known, reason, key);
      });
      toast.show({
        title: `Version ${version} restored`,
        message: `The ${api.noun} has its values again, as version ${restored?.now ?? latest.version}.`,
        intent: "success",
      });
      onRestored();
      onClose();
    } catch (error) {
      const isStale = isOutdated(error);
      const message = isStale
        ? `Someone else changed this ${api.noun}. Check the latest change, then try again.`
        : (refusalText(error) ?? "Please try again.");
      toast.show({ title: `Failed to restore version ${version}`, message, intent: "danger" });
      setBusy(false);
      if (isStale) {
        onRestored();
        onClose();
      }
    }
  };
  return { isBusy, restore };
}
