import { useCallback, useEffect, useRef, useState } from "react";

/**
 * A text that is shown at once and reported when typing pauses or the field is left; it follows changes from outside.
 * @param pause how long nothing is typed before it is reported, in milliseconds.
 * @returns the text as typed, a way to type, and one to report at once.
 */
export function useSettledText(value: string, onChange: (value: string) => void, pause: number) {
  const [draft, setDraft] = useState(value);
  /** Reported, and not come back as the value yet: what is older than the draft must not replace it. */
  const underWay = useRef<string[]>([]);

  useEffect(() => {
    const reported = underWay.current.lastIndexOf(value);
    if (reported >= 0) underWay.current.splice(0, reported + 1);
    else {
      underWay.current = [];
      setDraft(value);
    }
  }, [value]);

  const settle = useCallback(() => {
    if (draft === (underWay.current.at(-1) ?? value)) return;
    underWay.current.push(draft);
    onChange(draft);
  }, [draft, value, onChange]);

  useEffect(() => {
    const timer = setTimeout(settle, pause);
    return () => clearTimeout(timer);
  }, [settle, pause]);

  return [draft, setDraft, settle] as const;
}
