import { Dialog, DialogBody } from "@blueprintjs/core";
import { type FormEvent, useId, useRef, useState } from "react";
import { FormFooter } from "@/shared/form/FormFooter";
import { failureText } from "@/shared/form/failureText";
import { TextField } from "@/shared/form/TextField";
import { useCommandKey } from "@/shared/form/useCommandKey";

/** In characters; the API's limit. */
const MAX_NAME = 60;

interface NameDialogProps {
  title: string;
  /** The current name. */
  name?: string | undefined;
  /** Names of the other views. */
  taken: readonly string[];
  /** @param newId stays the same while the same name is retried. */
  send: (name: string, newId: string) => Promise<void>;
  onClose: () => void;
}

/** Asks for a view's name; an error is shown below the name. */
export function NameDialog({ title, name: former = "", taken, send, onClose }: NameDialogProps) {
  const [name, setName] = useState(former);
  const [error, setError] = useState<string>();
  const [isBusy, setBusy] = useState(false);
  const input = useRef<HTMLInputElement>(null);
  const keyed = useCommandKey();
  const formId = useId();

  const refuse = (message: string) => {
    setError(message);
    input.current?.focus();
  };
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    const wanted = name.trim();
    if (isBusy) return;
    if (wanted === "") return refuse("Name is required");
    if (taken.includes(wanted)) return refuse("A view with this name already exists");
    setBusy(true);
    try {
      await keyed(wanted, (key) => send(wanted, key));
    } catch (failure) {
      setBusy(false);
      return refuse(failureText(failure));
    }
    onClose();
  };

  return (
    <Dialog
      isOpen
      title={title}
      canOutsideClickClose={false}
      canEscapeKeyClose={!isBusy}
      onClose={onClose}
      // Text that the user has already typed is not selected.
      onOpened={() => name === former && input.current?.select()}
    >
      <DialogBody>
        <form id={formId} noValidate onSubmit={(event) => void submit(event)}>
          <TextField
            label="Name"
            isRequired
            error={error}
            inputRef={input}
            maxLength={MAX_NAME}
            value={name}
            onChange={setName}
          />
        </form>
      </DialogBody>
      <FormFooter
        form={formId}
        label="Save"
        busyLabel="Saving..."
        intent="primary"
        isBusy={isBusy}
        onCancel={onClose}
      />
    </Dialog>
  );
}
