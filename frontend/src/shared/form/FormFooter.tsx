import { Button, DialogFooter, type Intent } from "@blueprintjs/core";
import { SAVE_BUTTON } from "./saveKeys";

interface FormFooterProps {
  /** The id of the dialog's form. */
  form: string;
  label: string;
  busyLabel: string;
  intent: Intent;
  isBusy: boolean;
  /** Nothing can be submitted. */
  isIdle?: boolean;
  onCancel: () => void;
}

/** The footer of a dialog with a form. */
export function FormFooter(props: FormFooterProps) {
  const { form, label, busyLabel, intent, isBusy, isIdle = false, onCancel } = props;
  return (
    <DialogFooter
      actions={
        <>
          <Button text="Cancel" disabled={isBusy} onClick={onCancel} />
          <Button
            type="submit"
            {...SAVE_BUTTON}
            form={form}
            intent={intent}
            text={isBusy ? busyLabel : label}
            aria-busy={isBusy}
            disabled={isBusy || isIdle}
          />
        </>
      }
    />
  );
}
