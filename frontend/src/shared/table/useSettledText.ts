import { useCallback, useEffect, useRef, useState } from "react";

/**
 * A text that is shown at once, and reported when typing pauses. It follows changes from outside.
 * @param pause in milliseconds.
 * @returns the text as typed, a setter, and a function that reports at once.
 */
export function useSettledText(value: string, onChange: (value: string) => void, pause: number) {
  const [draft, setDraft] = useState(value);
  /** Reported texts that have not arrived as `value` yet: older ones must not replace the draft. */
  const reported = useRef<string[]>([]);
  const isPressed = usePressedPointer();

  useEffect(() => {
    const place = reported.current.lastIndexOf(value);
    if (place >= 0) reported.current.splice(0, place + 1);
    else {
      reported.current = [];
      setDraft(value);
    }
  }, [value]);

  const settle = useCallback(() => {
    if (draft === (reported.current.at(-1) ?? value)) return;
    reported.current.push(draft);
    onChange(draft);
  }, [draft, value, onChange]);

  useEffect(() => {
    let timer = setTimeout(function report() {
      // Rows that move from under a pressed pointer lose the click.
      if (isPressed.current) timer = setTimeout(report, pause);
      else settle();
    }, pause);
    return () => clearTimeout(timer);
  }, [settle, pause, isPressed]);

  return [draft, setDraft, settle] as const;
}

/** Whether the pointer is pressed. A press that opens a menu may end without an event: a key ends it as well. */
function usePressedPointer() {
  const isPressed = useRef(false);
  useEffect(() => {
    const listening = new AbortController();
    const follow = ({ type }: Event) => {
      isPressed.current = type === "pointerdown";
    };
    for (const type of ["pointerdown", "pointerup", "pointercancel", "contextmenu", "keydown"]) {
      window.addEventListener(type, follow, { capture: true, signal: listening.signal });
    }
    return () => listening.abort();
  }, []);
  return isPressed;
}
