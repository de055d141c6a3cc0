import { useRef, useState } from "react";
import { failureText } from "@/shared/auth/refusal";
import type { SendKeyed } from "@/shared/form";
import { FormDialog } from "@/shared/form/FormDialog";
import { TextField } from "@/shared/form/TextField";

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
  const input = useRef<HTMLInputElement>(null);

  const refuse = (message: string) => {
    setError(message);
    input.current?.focus();
    return false;
  };
  const save = async (keyed: SendKeyed) => {
    const wanted = name.trim();
    if (wanted === "") return refuse("Name is required");
    if (taken.includes(wanted)) return refuse("A view with this name already exists");
    try {
      await keyed(wanted, (key) => send(wanted, key));
    } catch (failure) {
      return refuse(failureText(failure));
    }
    onClose();
    return true;
  };

  return (
    <FormDialog
      title={title}
      isCloseButtonShown
      submitLabel="Save"
      busyLabel="Saving..."
      send={save}
      onClose={onClose}
    >
      <TextField
        label="Name"
        isRequired
        error={error}
        inputRef={input}
        maxLength={MAX_NAME}
        value={name}
        onChange={setName}
      />
    </FormDialog>
  );
}
