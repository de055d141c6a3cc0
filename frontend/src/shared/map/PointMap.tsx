import {
  type KeyboardEvent,
  type MouseEvent,
  type PointerEvent,
  useEffect,
  useId,
  useMemo,
  useRef,
} from "react";
import { MapFrame, styleAt } from "./MapFrame";
import { MoveHelp } from "./MoveHelp";
import styles from "./map.module.css";
import { type Place, placeText, rounded } from "./places";
import { type MapView, useMapView } from "./useMapView";
import { DIRECTIONS, digitsOf, isWithin, type Offset, offsetOf, placeAt, ZOOMS } from "./view";

interface PointMapProps {
  name: string;
  /** Undefined until coordinates are entered. */
  place: Place | undefined;
  /** Makes the point movable. */
  onMove?: Move | undefined;
}

/** A map of a single place and its surroundings. */
export function PointMap({ name, place, onMove }: PointMapProps) {
  const map = useMapView(place ? [place] : []);
  const { view, show, width } = map;
  const helpId = useId();
  const { surface, handle } = usePointMoves(map, place, onMove);
  const where = place ? placeText(place) : "no position yet";

  useEffect(() => {
    // A key or typed coordinates moved the point out of view.
    const isOut = place && !isWithin(offsetOf(place, view), width());
    if (isOut && !handle.isHeld()) show({ ...view, centre: place });
  }, [place, view, show, width, handle]);

  return (
    <div className="fl-grid fl-gap-6 fl-shrink">
      <MapFrame
        label={`Map: ${[name, where].filter(Boolean).join(", ")}`}
        map={map}
        about={place}
        fitLabel={place ? "Show the point" : "Show the world"}
        {...(onMove && { surface })}
      >
        {onMove ? (
          <div
            {...handle.events}
            className={styles.handle}
            data-unset={place === undefined || undefined}
            style={styleAt(offsetOf(place ?? view.centre, view))}
            role="slider"
            tabIndex={0}
            aria-label="Point on the map"
            aria-roledescription="point"
            aria-describedby={helpId}
            aria-valuemin={-90}
            aria-valuemax={90}
            aria-valuenow={place?.latitude ?? 0}
            aria-valuetext={where}
          >
            <span className={styles.point} />
          </div>
        ) : (
          place && (
            <div className={styles.mark} style={styleAt(offsetOf(place, view))} aria-hidden>
              <span className={styles.point} />
              <span className={styles.label}>{name}</span>
            </div>
          )
        )}
      </MapFrame>
      {onMove && <MoveHelp id={helpId} />}
    </div>
  );
}

type Move = (place: Place) => void;

/** Pixels that an arrow key moves the point. */
const STEP = 16;
const SMALL_STEP = 1;

/** Handlers that move the point by click, drag and keys. */
function usePointMoves(map: MapView, place: Place | undefined, onMove: Move | undefined) {
  /** The offset of the pointer from the point's centre while dragging. */
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
    const release = () => {
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
          onPointerUp: release,
          onPointerCancel: release,
          onKeyDown: (event: KeyboardEvent) => {
            const direction = DIRECTIONS[event.key];
            const zoom = ZOOMS[event.key];
            if (event.ctrlKey || event.metaKey || event.altKey || !(direction || zoom)) return;
            event.preventDefault();
            if (zoom) latest.current.map.zoom(zoom, latest.current.place);
            if (!direction) return;
            const step = event.shiftKey ? SMALL_STEP : STEP;
            const [x, y] = current();
            moveTo([x + direction[0] * step, y + direction[1] * step]);
          },
        },
      },
    };
  }, []);
}

function minus([x, y]: Offset, [byX, byY]: Offset): Offset {
  return [x - byX, y - byY];
}
