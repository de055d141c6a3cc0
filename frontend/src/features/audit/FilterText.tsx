import { InputGroup, type InputGroupProps } from "@blueprintjs/core";
import { LabelledField } from "@/shared/form/LabelledField";
import { useSettledText } from "@/shared/table/useSettledText";

/** Long enough that what is half typed is seldom looked for. In milliseconds. */
const PAUSE = 400;

interface FilterTextProps
  extends Pick<InputGroupProps, "type" | "placeholder" | "list" | "maxLength" | "max" | "leftIcon"> {
  label: string;
  value: string;
  /** What is wrong with it. */
  error: string | undefined;
  onChange: (value: string) => void;
}

/** A filter that is typed; it counts when typing pauses, at Enter, and when the field is left. */
export function FilterText({ label, error, value, onChange, ...input }: FilterTextProps) {
  const [draft, setDraft, settle] = useSettledText(value, onChange, PAUSE);
  return (
    <LabelledField label={label} error={error}>
      {(control) => (
        <InputGroup
          {...input}
          {...control}
          intent={error === undefined ? "none" : "danger"}
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
    </LabelledField>
  );
}
