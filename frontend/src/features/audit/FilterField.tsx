import { InputGroup, type InputGroupProps } from "@blueprintjs/core";
import { type ReactNode, useId } from "react";
import { useSettledText } from "@/shared/table/useSettledText";
import styles from "./filters.module.css";

/** Long enough that what is half typed is seldom looked for. In milliseconds. */
const PAUSE = 400;

/** What ties a control to its label and to what is said of it. */
interface ControlProps {
  id: string;
  "aria-describedby"?: string;
  "aria-invalid"?: true;
}

interface FilterFieldProps {
  label: string;
  /** What is wrong with it. */
  refusal?: string | undefined;
  /** What is to be known of it. */
  note?: string | undefined;
  children: (control: ControlProps) => ReactNode;
}

/** A filter under its name, and what is wrong with it. */
export function FilterField({ label, refusal, note, children }: FilterFieldProps) {
  const id = useId();
  const noteId = `${id}-note`;
  const said = refusal ?? note;
  return (
    <div className={styles.field}>
      <label htmlFor={id}>{label}</label>
      {children({
        id,
        ...(said === undefined ? {} : { "aria-describedby": noteId }),
        ...(refusal === undefined ? {} : { "aria-invalid": true }),
      })}
      {said !== undefined && (
        <p id={noteId} className={styles.note} data-tone={refusal === undefined ? undefined : "danger"}>
          {said}
        </p>
      )}
    </div>
  );
}

interface FilterTextProps
  extends Pick<InputGroupProps, "type" | "placeholder" | "list" | "maxLength" | "max"> {
  label: string;
  leftIcon?: InputGroupProps["leftIcon"];
  value: string;
  refusal?: string | undefined;
  onChange: (value: string) => void;
}

/** A filter that is typed; it counts when typing pauses, at Enter, and when the field is left. */
export function FilterText({ label, refusal, value, onChange, ...input }: FilterTextProps) {
  const [draft, setDraft, settle] = useSettledText(value, onChange, PAUSE);
  return (
    <FilterField label={label} refusal={refusal}>
      {(control) => (
        <InputGroup
          {...input}
          {...control}
          intent={refusal === undefined ? "none" : "danger"}
          autoComplete="off"
          spellCheck={false}
          value={draft}
          onValueChange={setDraft}
          onKeyDown={({ key, nativeEvent }) => {
            if (key === "Enter" && !nativeEvent.isComposing) settle();
          }}
          onBlur={settle}
        />
      )}
    </FilterField>
  );
}
