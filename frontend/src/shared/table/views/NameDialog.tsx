import { Dialog, DialogBody, InputGroup } from "@blueprintjs/core";
import { type FormEvent, useId, useRef, useState } from "react";
import { FormFooter } from "@/shared/form/FormFooter";
import { failureText } from "@/shared/form/failureText";
import { LabelledField } from "@/shared/form/LabelledField";
import { useCommandKey } from "@/shared/form/useCommandKey";

/** Characters; the API takes no more. */
const MAX_NAME = 60;

interface NameDialogProps {
  title: string;
  /** What it is called now. */
  name?: string | undefined;
  /** What others are called. */
  taken: readonly string[];
  /** @param newId the same when the same name is sent again, because an answer got lost. */
  send: (name: string, newId: string) => Promise<void>;
  onClose: () => void;
}

/** Asks what a view is to be called; why it could not be saved stands below the name. */
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
    if (taken.includes(wanted)) return refuse("There is a view of this name already");
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
      // Not what somebody types already.
      onOpened={() => name === former && input.current?.select()}
    >
      <DialogBody>
        <form id={formId} noValidate onSubmit={(event) => void submit(event)}>
          <LabelledField label="Name" isRequired error={error}>
            {(control) => (
              <InputGroup
                {...control}
                inputRef={input}
                maxLength={MAX_NAME}
                autoComplete="off"
                intent={error === undefined ? "none" : "danger"}
                value={name}
                onValueChange={setName}
              />
            )}
          </LabelledField>
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
