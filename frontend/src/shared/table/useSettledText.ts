import { useCallback, useEffect, useRef, useState } from "react";

/**
 * A text that is shown at once, and reported when typing pauses or the field is left. It follows changes from outside.
 * @param pause in milliseconds.
 * @returns the text as typed, a setter, and a function that reports at once.
 */
export function useSettledText(value: string, onChange: (value: string) => void, pause: number) {
  const [draft, setDraft] = useState(value);
  /** Reported texts that have not arrived as `value` yet: older ones must not replace the draft. */
  const reported = useRef<string[]>([]);

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
    const timer = setTimeout(settle, pause);
    return () => clearTimeout(timer);
  }, [settle, pause]);

  return [draft, setDraft, settle] as const;
}
