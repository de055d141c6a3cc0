import { Button, Classes, Dialog, DialogBody, DialogFooter, type Intent } from "@blueprintjs/core";
import { useId, useRef } from "react";

interface ConfirmDialogProps {
  isOpen: boolean;
  title: string;
  /** The question, e.g. `Are you sure …?`. */
  message: string;
  confirmLabel: string;
  /** The confirm button's label while `isBusy`, e.g. `Deleting...`. */
  busyLabel?: string | undefined;
  cancelLabel?: string | undefined;
  isBusy?: boolean | undefined;
  intent?: Intent | undefined;
  onConfirm: () => void;
  /** Cancel or Escape; neither works while busy. */
  onCancel: () => void;
}

/** A confirmation that a click outside does not dismiss. */
export function ConfirmDialog({
  isOpen,
  title,
  message,
  confirmLabel,
  busyLabel = confirmLabel,
  cancelLabel = "Cancel",
  isBusy = false,
  intent = "danger",
  onConfirm,
  onCancel,
}: ConfirmDialogProps) {
  const messageId = useId();
  const cancel = useRef<HTMLButtonElement>(null);
  return (
    <Dialog
      isOpen={isOpen}
      role="alertdialog"
      title={title}
      aria-describedby={messageId}
      isCloseButtonShown={false}
      canOutsideClickClose={false}
      canEscapeKeyClose={!isBusy}
      onClose={onCancel}
      // Focuses the safe answer. An earlier focus would overwrite the element to return to.
      onOpened={() => cancel.current?.focus()}
      onClosed={keepFocus}
      portalClassName="fl-above"
    >
      <DialogBody>
        <p id={messageId}>{message}</p>
      </DialogBody>
      <DialogFooter
        actions={
          <>
            <Button ref={cancel} disabled={isBusy} onClick={onCancel}>
              {cancelLabel}
            </Button>
            <Button intent={intent} disabled={isBusy} aria-busy={isBusy} onClick={onConfirm}>
              {isBusy ? busyLabel : confirmLabel}
            </Button>
          </>
        }
      />
    </Dialog>
  );
}

/** Focus the main area if the element to return to was removed, e.g. with a deleted row. */
export function keepFocus(): void {
  const focused = document.activeElement;
  const isLost = focused === document.body || focused?.closest(`.${Classes.OVERLAY}`) != null;
  if (isLost) document.querySelector("main")?.focus();
}
