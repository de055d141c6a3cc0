import { useEffect, useId } from "react";
import { MapFrame, styleAt } from "./MapFrame";
import styles from "./map.module.css";
import { type Place, placeText } from "./places";
import { useMapView } from "./useMapView";
import { type Move, usePointMoves } from "./usePointMoves";
import { isWithin, offsetOf } from "./view";

interface PointMapProps {
  /** What is there, in people's words. */
  name: string;
  /** Where it is; undefined: nobody has said yet. */
  place: Place | undefined;
  /** Where it can be put elsewhere: it is somewhere else now. */
  onMove?: Move | undefined;
}

/** Where one thing is, with a few degrees round it; the point can be moved where that is wanted. */
export function PointMap({ name, place, onMove }: PointMapProps) {
  const map = useMapView(place ? [place] : []);
  const { view, show, width } = map;
  const helpId = useId();
  const { surface, handle } = usePointMoves(map, place, onMove);
  const where = place ? placeText(place) : "no place yet";

  useEffect(() => {
    // It has gone out of sight, by a key or by what was typed.
    const isOut = place && !isWithin(offsetOf(place, view), width());
    if (isOut && !handle.isHeld()) show({ ...view, centre: place });
  }, [place, view, show, width, handle]);

  return (
    <div className={styles.map}>
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
      {onMove && (
        <p id={helpId} className="fl-remark">
          Click on the map or drag the point; arrow keys move it, with Shift by less.
        </p>
      )}
    </div>
  );
}
