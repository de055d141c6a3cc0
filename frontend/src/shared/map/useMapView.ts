import { type RefObject, useCallback, useLayoutEffect, useRef, useState } from "react";
import type { Place } from "./places";
import { fitting, type Offset, type View, zoomed } from "./view";

export interface MapView {
  view: View;
  show: (view: View) => void;
  frame: RefObject<HTMLDivElement | null>;
  /** The map's width in pixels. */
  width: () => number;
  /** The pointer's offset from the map's centre. */
  offsetOf: (pointer: { clientX: number; clientY: number }) => Offset;
  /** Zoom, by default about the centre. */
  zoom: (factor: number, about?: Place) => void;
  /** Show all places. */
  fit: () => void;
}

/** The width before the first layout. */
const USUAL_WIDTH = 640;

/** The view of a map, initially of all places or of the world. */
export function useMapView(places: readonly Place[]): MapView {
  const frame = useRef<HTMLDivElement>(null);
  const [view, show] = useState(() => fitting(places, USUAL_WIDTH));
  const width = useCallback(() => frame.current?.clientWidth || USUAL_WIDTH, []);

  // biome-ignore lint/correctness/useExhaustiveDependencies: only once, when the width is known
  useLayoutEffect(() => show(fitting(places, width())), []);

  return {
    view,
    show,
    frame,
    width,
    offsetOf: ({ clientX, clientY }) => {
      const { left = 0, top = 0, width = 0, height = 0 } = frame.current?.getBoundingClientRect() ?? {};
      return [clientX - left - width / 2, clientY - top - height / 2];
    },
    zoom: (factor, about) => show(zoomed(view, factor, about)),
    fit: () => show(fitting(places, width())),
  };
}
