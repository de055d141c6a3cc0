import { type KeyboardEvent, type PointerEvent, useRef, useState } from "react";
import type { Stretch } from "./calendar";

/** So near to an end of what is chosen, in pixels, a pointer takes hold of that end. */
const GRIP = 10;
const STEPS: Readonly<Record<string, number>> = {
  ArrowLeft: -1,
  ArrowDown: -1,
  ArrowRight: 1,
  ArrowUp: 1,
  PageDown: -30,
  PageUp: 30,
  Home: Number.NEGATIVE_INFINITY,
  End: Number.POSITIVE_INFINITY,
};
const LARGER = 7;

/**
 * How somebody chooses a stretch of days: by drawing over them, or by keys at either end. It is asked for when the
 * pointer or the key is let go, so that nothing is looked for on the way.
 */
export function useBrush(count: number, chosen: Stretch | undefined, onChoose: (stretch: Stretch) => void) {
  const [draft, setDraft] = useState<Stretch>();
  /** Where a stroke began: the end that stays. */
  const anchor = useRef<number>(null);
  const shown = draft ?? chosen;
  const [first, last] = shown ?? [0, count - 1];

  const clamped = (place: number) => Math.min(count - 1, Math.max(0, place));
  const placeOf = (event: PointerEvent) => {
    const { left, width } = event.currentTarget.getBoundingClientRect();
    return clamped(Math.floor(((event.clientX - left) / Math.max(1, width)) * count));
  };
  const stretched = (place: number): Stretch => {
    const from = anchor.current ?? place;
    return [Math.min(from, place), Math.max(from, place)];
  };
  const choose = () => {
    if (draft) onChoose(draft);
    setDraft(undefined);
  };

  return {
    shown,
    surface: {
      onPointerDown: (event: PointerEvent) => {
        if (event.button !== 0) return;
        event.currentTarget.setPointerCapture(event.pointerId);
        const { left, width } = event.currentTarget.getBoundingClientRect();
        const isNear = (end: number) => Math.abs(event.clientX - left - (end / count) * width) <= GRIP;
        // Of two ends that are both near, neither is meant.
        const [atFirst, atLast] = [chosen && isNear(first), chosen && isNear(last + 1)];
        if (atFirst !== atLast) anchor.current = atFirst ? last : first;
        else anchor.current = placeOf(event);
        setDraft(stretched(placeOf(event)));
      },
      onPointerMove: (event: PointerEvent) => {
        if (anchor.current !== null) setDraft(stretched(placeOf(event)));
      },
      onPointerUp: () => {
        anchor.current = null;
        choose();
      },
      onPointerCancel: () => {
        anchor.current = null;
        setDraft(undefined);
      },
    },
    keysOf: (end: "first" | "last") => ({
      onKeyDown: (event: KeyboardEvent) => {
        const step = STEPS[event.key];
        if (step === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
        event.preventDefault();
        const by = event.shiftKey && Math.abs(step) === 1 ? step * LARGER : step;
        const place = clamped((end === "first" ? first : last) + by);
        setDraft(end === "first" ? [Math.min(place, last), last] : [first, Math.max(place, first)]);
      },
      onKeyUp: choose,
      onBlur: choose,
    }),
  };
}
