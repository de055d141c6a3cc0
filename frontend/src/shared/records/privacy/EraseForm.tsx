import { InputGroup } from "@blueprintjs/core";
import { useState } from "react";
import { LabelledField } from "@/shared/form/LabelledField";
import { DialogForm } from "./DialogForm";
import { complain } from "./fields";
import type { PrivacyFormProps } from "./forms";
import styles from "./privacy.module.css";

/** Whether it is to be erased: confirmed by typing its id. */
export function EraseForm({ standing, noun, idLabel, commands, onClose }: PrivacyFormProps) {
  const [typed, setTyped] = useState("");
  const [error, setError] = useState<string>();
  const name = idLabel.toLowerCase();
  const clear = standing.in_the_clear;
  return (
    <DialogForm
      submitLabel="Erase for Ever"
      busyLabel="Erasing..."
      intent="danger"
      values={typed}
      check={() => complain(typed.trim() === standing.id ? undefined : `This is not its ${name}.`, setError)}
      send={(key) => commands.erase(typed.trim(), key)}
      done={{ title: "Being erased", message: "A receipt follows when it is gone everywhere." }}
      onClose={onClose}
    >
      <p>
        <strong>This cannot be undone by anybody.</strong>
      </p>
      <dl className={styles.fate}>
        <dt>What goes</dt>
        <dd>
          The key that all of its personal data is sealed under, and with it every value, reason and name in
          its {standing.events} events: in the log, its copies and backups.
        </dd>
        <dt>What stays</dt>
        <dd>
          That there was a {noun} with this {name}, what kind of change was made to it and when, by which
          subject, and what is personal to nobody.
          {clear > 0 && ` So do ${eventsInTheClear(clear)}, and whatever has been exported.`}
          {clear === 0 && " So does whatever has been exported."}
        </dd>
      </dl>
      <LabelledField label={`Type its ${name}, ${standing.id}`} isRequired error={error}>
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
