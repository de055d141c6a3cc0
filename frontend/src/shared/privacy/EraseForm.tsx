import { InputGroup } from "@blueprintjs/core";
import { useState } from "react";
import { LabelledField } from "@/shared/form/LabelledField";
import { DialogForm } from "./DialogForm";
import { complain } from "./fields";
import type { PrivacyFormProps } from "./forms";
import styles from "./privacy.module.css";

/** Whether it is to be erased: confirmed by typing its id. */
export function EraseForm({ subject, standing, commands, onClose }: PrivacyFormProps) {
  const [typed, setTyped] = useState("");
  const [error, setError] = useState<string>();
  const { words } = subject;
  const clear = standing.in_the_clear;
  return (
    <DialogForm
      submitLabel="Erase for Ever"
      busyLabel="Erasing..."
      intent="danger"
      values={typed}
      check={() =>
        complain(typed.trim() === standing.id ? undefined : `This is not ${standing.id}.`, setError)
      }
      send={(key) => commands.erase(typed.trim(), key)}
      done={{ title: "Being erased", message: "A receipt follows when it is gone everywhere." }}
      onClose={onClose}
    >
      <p>
        <strong>This cannot be undone by anybody.</strong>
      </p>
      <dl className={styles.fate}>
        <dt>What goes</dt>
        <dd>{words.goes(standing)}</dd>
        <dt>What stays</dt>
        <dd>
          {words.stays}
          {clear > 0 && ` So do ${eventsInTheClear(clear)}, and whatever has been exported.`}
          {clear === 0 && " So does whatever has been exported."}
        </dd>
      </dl>
      <LabelledField label={`Type ${standing.id}`} isRequired error={error}>
        {(control) => (
          <InputGroup
            {...control}
            autoComplete="off"
            spellCheck={false}
            intent={error === undefined ? "none" : "danger"}
            value={typed}
            onValueChange={(text) => {
              setTyped(text);
              setError(undefined);
            }}
          />
        )}
      </LabelledField>
    </DialogForm>
  );
}

function eventsInTheClear(count: number): string {
  return count === 1 ? "the one event that is not sealed" : `the ${count} events that are not sealed`;
}
