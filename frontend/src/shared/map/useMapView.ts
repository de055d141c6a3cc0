import { type RefObject, useCallback, useLayoutEffect, useRef, useState } from "react";
import type { Place } from "./places";
import { fitting, type Offset, type View, zoomed } from "./view";

/** What a map shows at the moment. */
export interface MapView {
  view: View;
  show: (view: View) => void;
  /** The map on the page. */
  frame: RefObject<HTMLDivElement | null>;
  /** Of the map on the page, in pixels. */
  width: () => number;
  /** How far from the map's middle somebody points. */
  offsetOf: (pointer: { clientX: number; clientY: number }) => Offset;
  /** Shows more or less of the earth, with a place in the middle: the one that is there, or another. */
  zoom: (factor: number, about?: Place) => void;
  /** Shows all that the map is about. */
  fit: () => void;
}

/** Until a map is on the page. */
const USUAL_WIDTH = 640;

/** Begins with a view of all places, or of the world. */
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
