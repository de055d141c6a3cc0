import { type PointerEvent, useRef } from "react";
import type { MapView } from "./useMapView";
import { type Offset, panned, type View } from "./view";

/** How somebody draws a map aside to see what is beside it. */
export function usePanning({ view, show, offsetOf }: MapView) {
  const began = useRef<{ view: View; at: Offset }>(null);
  const letGo = () => {
    began.current = null;
  };
  return {
    "data-use": "move" as const,
    onPointerDown: (event: PointerEvent) => {
      if (event.button !== 0) return;
      event.currentTarget.setPointerCapture(event.pointerId);
      began.current = { view, at: offsetOf(event) };
    },
    onPointerMove: (event: PointerEvent) => {
      if (began.current === null) return;
      const { view: from, at } = began.current;
      const [x, y] = offsetOf(event);
      show(panned(from, [at[0] - x, at[1] - y]));
    },
    onPointerUp: letGo,
    onPointerCancel: letGo,
  };
}
