import { DialogBody, type Intent } from "@blueprintjs/core";
import { type FormEvent, type ReactNode, useId, useState } from "react";
import { FormFooter } from "@/shared/form/FormFooter";
import { failureText } from "@/shared/form/failureText";
import { useCommandKey } from "@/shared/form/useCommandKey";
import { toast } from "@/shared/toast";
import { Notice } from "@/shared/ui";
import styles from "./privacy.module.css";

export interface DialogFormProps {
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
export function DialogForm(props: DialogFormProps) {
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
