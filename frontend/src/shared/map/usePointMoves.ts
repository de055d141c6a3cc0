import { type KeyboardEvent, type MouseEvent, type PointerEvent, useMemo, useRef } from "react";
import { type Place, rounded } from "./places";
import type { MapView } from "./useMapView";
import { DIRECTIONS, digitsOf, type Offset, offsetOf, placeAt, ZOOMS } from "./view";

export type Move = (place: Place) => void;

/** Pixels that a key moves the point by. */
const STEP = 16;
const SMALL_STEP = 1;

/** How somebody puts a point elsewhere: by pointing, by dragging it and by keys. */
export function usePointMoves(map: MapView, place: Place | undefined, onMove: Move | undefined) {
  /** Where the point was taken hold of, seen from its middle. */
  const hold = useRef<Offset>(null);
  const latest = useRef({ map, place, onMove });
  latest.current = { map, place, onMove };

  return useMemo(() => {
    const moveTo = (offset: Offset) => {
      const { map, onMove } = latest.current;
      onMove?.(rounded(placeAt(offset, map.view), digitsOf(map.view)));
    };
    const current = (): Offset => {
      const { map, place } = latest.current;
      return place ? offsetOf(place, map.view) : [0, 0];
    };
    const letGo = () => {
      hold.current = null;
    };
    return {
      surface: {
        "data-use": "choose" as const,
        onClick: (event: MouseEvent) => moveTo(latest.current.map.offsetOf(event)),
      },
      handle: {
        isHeld: () => hold.current !== null,
        events: {
          onPointerDown: (event: PointerEvent) => {
            if (event.button !== 0) return;
            event.currentTarget.setPointerCapture(event.pointerId);
            hold.current = minus(latest.current.map.offsetOf(event), current());
          },
          onPointerMove: (event: PointerEvent) => {
            if (hold.current) moveTo(minus(latest.current.map.offsetOf(event), hold.current));
          },
          onPointerUp: letGo,
          onPointerCancel: letGo,
          onKeyDown: (event: KeyboardEvent) => {
            const direction = DIRECTIONS[event.key];
            const zoom = ZOOMS[event.key];
            if (event.ctrlKey || event.metaKey || event.altKey || !(direction || zoom)) return;
            event.preventDefault();
            if (zoom) latest.current.map.zoom(zoom, latest.current.place);
            if (direction) moveTo(stepped(current(), direction, event.shiftKey ? SMALL_STEP : STEP));
          },
        },
      },
    };
  }, []);
}

function minus([x, y]: Offset, [byX, byY]: Offset): Offset {
  return [x - byX, y - byY];
}

function stepped([x, y]: Offset, [toX, toY]: Offset, by: number): Offset {
  return [x + toX * by, y + toY * by];
}
