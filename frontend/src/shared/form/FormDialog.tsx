import { Button, Dialog, DialogBody, DialogFooter, type DialogProps, type Intent } from "@blueprintjs/core";
import { type FormEvent, type ReactNode, useEffect, useId, useRef, useState } from "react";
import styles from "./form.module.css";
import { SAVE_BUTTON } from "./saveKeys";
import { type SendKeyed, useCommandKey } from "./useCommandKey";

interface FormDialogProps extends Omit<DialogProps, "isOpen"> {
  isOpen?: boolean;
  /** Above the form; describes the dialog. */
  intro?: string;
  submitLabel: string;
  /** By default the submit label. */
  busyLabel?: string;
  submitIntent?: Intent | undefined;
  /** Nothing can be submitted. */
  isIdle?: boolean;
  cancelLabel?: string;
  /** End the sending: Cancel then does so, and has the focus meanwhile. Otherwise it cannot be used. */
  onAbort?: () => void;
  /** Below the body, which may scroll. */
  notice?: ReactNode;
  /** Check and send the input, once at a time; returns whether that succeeded, at once if nothing is sent. */
  send: (keyed: SendKeyed) => boolean | Promise<boolean>;
  onClose: () => void;
}

/** A dialog with a form: a click outside does not close it, nor does Escape while it is sent. */
export function FormDialog(props: FormDialogProps) {
  const {
    intro,
    submitLabel,
    busyLabel = submitLabel,
    submitIntent = "primary",
    isIdle,
    cancelLabel = "Cancel",
    onAbort,
    notice,
    send,
    children,
    ...dialog
  } = props;
  const [isBusy, setBusy] = useState(false);
  const keyed = useCommandKey();
  const formId = useId();
  const introId = useId();
  const cancel = useRef<HTMLButtonElement>(null);
  const canAbort = isBusy && onAbort !== undefined;
  useEffect(() => {
    if (canAbort) cancel.current?.focus();
  }, [canAbort]);
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    // In React's tree, the dialog may be inside another form.
    event.stopPropagation();
    if (isBusy || isIdle) return;
    const sending = send(keyed);
    // A button that is disabled, however briefly, loses the focus.
    if (typeof sending === "boolean") return;
    setBusy(true);
    if (!(await sending)) setBusy(false);
  };
  return (
    <Dialog
      isOpen
      isCloseButtonShown={false}
      canOutsideClickClose={false}
      canEscapeKeyClose={!isBusy}
      onOpened={focusFirst}
      {...(intro !== undefined && { "aria-describedby": introId })}
      {...dialog}
    >
      <DialogBody>
        {intro !== undefined && <p id={introId}>{intro}</p>}
        <form id={formId} noValidate className="fl-stack" onSubmit={(event) => void submit(event)}>
          {children}
        </form>
      </DialogBody>
      <div className={styles.notice} data-notice>
        {notice}
      </div>
      <DialogFooter
        actions={
          <>
            <Button
              ref={cancel}
              text={cancelLabel}
              disabled={isBusy && !canAbort}
              onClick={canAbort ? onAbort : props.onClose}
            />
            <Button
              type="submit"
              {...SAVE_BUTTON}
              form={formId}
              intent={submitIntent}
              text={isBusy ? busyLabel : submitLabel}
              aria-busy={isBusy}
              disabled={isBusy || isIdle}
            />
          </>
        }
      />
    </Dialog>
  );
}

/** Focus the first field and select its text, unless the user has already moved into the dialog. */
function focusFirst(dialog: HTMLElement) {
  if (dialog.querySelector("input:focus, textarea:focus, button:focus") !== null) return;
  const field = dialog.querySelector<HTMLElement>("input, [role=combobox]") ?? dialog.querySelector("button");
  field?.focus();
  if (field instanceof HTMLInputElement) field.select();
}
