import { useCallback, useLayoutEffect, useRef, useState } from "react";
import type { Place } from "./places";
import { fitting, type Offset, zoomed } from "./view";

export type MapView = ReturnType<typeof useMapView>;

/** The width before the first layout. */
const USUAL_WIDTH = 640;

/** The view of a map, initially of all places or of the world. */
export function useMapView(places: readonly Place[]) {
  const frame = useRef<HTMLDivElement>(null);
  const [view, show] = useState(() => fitting(places, USUAL_WIDTH));
  const width = useCallback(() => frame.current?.clientWidth || USUAL_WIDTH, []);

  // biome-ignore lint/correctness/useExhaustiveDependencies: only once, when the width is known
  useLayoutEffect(() => show(fitting(places, width())), []);

  return {
    view,
    show,
    frame,
    /** The map's width in pixels. */
    width,
    /** The pointer's offset from the map's centre. */
    offsetOf: ({ clientX, clientY }: { clientX: number; clientY: number }): Offset => {
      const { left = 0, top = 0, width = 0, height = 0 } = frame.current?.getBoundingClientRect() ?? {};
      return [clientX - left - width / 2, clientY - top - height / 2];
    },
    /** Zoom, by default about the centre. */
    zoom: (factor: number, about?: Place) => show(zoomed(view, factor, about)),
    /** Show all places. */
    fit: () => show(fitting(places, width())),
  };
}
