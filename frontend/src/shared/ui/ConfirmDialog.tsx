import { Button, Dialog, DialogBody, DialogFooter, type Intent } from "@blueprintjs/core";
import { useId } from "react";

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

/** Asks before something that cannot be undone. A click outside does not answer the question. */
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
    >
      <DialogBody>
        <p id={messageId}>{message}</p>
      </DialogBody>
      <DialogFooter
        actions={
          <>
            {/* The focus starts at the harmless answer. */}
            <Button autoFocus disabled={isBusy} onClick={onCancel}>
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
