import { Button, InputGroup, PopoverNext } from "@blueprintjs/core";
import { Calendar as CalendarIcon } from "@blueprintjs/icons";
import { type KeyboardEvent, lazy, type Ref, Suspense, useImperativeHandle, useRef, useState } from "react";
import { formatDate, isDay } from "@/shared/format/DateText";
import { daysOf } from "./dayText";
import styles from "./form.module.css";
import type { ControlProps } from "./LabelledField";

const Calendar = lazy(() => import("./Calendar"));

export interface DateInputProps extends Partial<ControlProps> {
  /** A day (`YYYY-MM-DD`), or typed text that is none. */
  value: string;
  /** Called with a day, typed text that is none, or empty text. */
  onChange: (value: string) => void;
  onFocus?: () => void;
  onBlur?: () => void;
  name?: string;
  /** It is the last day of a document. */
  expires?: boolean | undefined;
  inputRef?: Ref<HTMLInputElement> | undefined;
  className?: string | undefined;
}

/**
 * A date as people type it, day first; the browser's own field has the month first for many. Alt+Down opens a calendar.
 * Where a date is ambiguous, the user chooses.
 */
export function DateInput(props: DateInputProps) {
  const { value, onChange, onFocus, onBlur, expires, inputRef, className = "", ...control } = props;
  /** The text while it is edited. */
  const [typed, setTyped] = useState<string>();
  const [isOpen, setOpen] = useState(false);
  const input = useRef<HTMLInputElement>(null);
  useImperativeHandle(inputRef, () => input.current as HTMLInputElement);

  const choose = (day: string) => {
    setTyped(undefined);
    setOpen(false);
    onChange(day);
    input.current?.focus();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== "ArrowDown" || !event.altKey) return;
    event.preventDefault();
    setOpen(true);
  };
  const choices = isDay(value) ? [] : daysOf(value, expires);

  return (
    <>
      <PopoverNext
        isOpen={isOpen}
        onInteraction={(opens) => !opens && setOpen(false)}
        placement="bottom-end"
        arrow={false}
        animation="minimal"
        transitionDuration={0}
        autoFocus={false}
        enforceFocus={false}
        shouldReturnFocusOnClose={false}
        canEscapeKeyClose={false}
        content={
          <Suspense>
            <Calendar
              value={isDay(value) ? value : ""}
              onChoose={choose}
              onClose={() => {
                setOpen(false);
                input.current?.focus();
              }}
            />
          </Suspense>
        }
        renderTarget={({ ref }) => (
          <div ref={ref} className={className}>
            <InputGroup
              {...control}
              inputRef={input}
              type="text"
              autoComplete="off"
              placeholder="DD/MM/YYYY"
              intent={control["aria-invalid"] ? "danger" : "none"}
              value={typed ?? formatDate(value)}
              onValueChange={(text) => {
                setTyped(text);
                const days = daysOf(text, expires);
                onChange((days.length === 1 && days[0]) || text.trim());
              }}
              onKeyDown={onKeyDown}
              onFocus={() => onFocus?.()}
              onBlur={() => {
                setTyped(undefined);
                onBlur?.();
              }}
              rightElement={
                // Not a stop of the Tab key, like the browser's own: Alt+Down opens the calendar.
                <Button
                  variant="minimal"
                  tabIndex={-1}
                  aria-label="Open calendar"
                  aria-expanded={isOpen}
                  icon={<CalendarIcon />}
                  onClick={() => setOpen(!isOpen)}
                />
              }
            />
          </div>
        )}
      />
      {choices.length > 1 && (
        // biome-ignore lint/a11y/useSemanticElements: a fieldset's legend cannot be laid out in a row
        <div role="group" aria-label="Which date?" className={styles.choices}>
          {choices.map((day) => (
            <Button key={day} size="small" text={formatDate(day)} onClick={() => choose(day)} />
          ))}
        </div>
      )}
    </>
  );
}
