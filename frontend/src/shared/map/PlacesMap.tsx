import { useEffect, useId, useMemo, useState } from "react";
import { clustersOf } from "./clusters";
import { MapFrame } from "./MapFrame";
import { Markers } from "./Markers";
import styles from "./map.module.css";
import { PlaceLinks } from "./PlaceLinks";
import type { Placed } from "./places";
import { useMapView } from "./useMapView";
import { usePanning } from "./usePanning";
import { canZoom, fitting, NEAREST, offsetOf, projectionOf } from "./view";

interface PlacesMapProps {
  /** What they are, e.g. `Locations`. */
  label: string;
  /** Whenever they are others than before, all are brought into sight. */
  places: readonly Placed[];
}

/** Where many things are: each leads to its page; those that would lie on each other are counted until it is zoomed in. */
export function PlacesMap({ label, places }: PlacesMapProps) {
  const map = useMapView(places);
  const { view, show, width } = map;
  const [together, setTogether] = useState<readonly Placed[]>([]);
  const surface = usePanning(map);
  const helpId = useId();

  const whole = places.map(({ latitude, longitude }) => `${latitude},${longitude}`).join(" ");
  // biome-ignore lint/correctness/useExhaustiveDependencies: the same places, read again, are no others
  useEffect(() => {
    show(fitting(places, width()));
    setTogether([]);
  }, [whole, show, width]);

  const clusters = useMemo(() => {
    const project = projectionOf(view);
    return clustersOf(places, (place) => offsetOf(place, view, project), width());
  }, [places, view, width]);

  const open = (items: readonly Placed[]) => {
    const nearer = fitting(items, width(), NEAREST);
    const parts = clustersOf(items, (place) => offsetOf(place, nearer), width());
    if (parts.length > 1 && canZoom(view, 2)) show(nearer);
    else setTogether(items);
  };

  const close = () => {
    setTogether([]);
    map.frame.current?.querySelector<HTMLElement>("li > [tabindex='0']")?.focus();
  };

  return (
    <div className={styles.map}>
      <MapFrame
        label={`Map: ${label} (${places.length})`}
        map={map}
        fitLabel="Show all"
        surface={surface}
        {...(places.length === 0 && { note: "Nothing here has a place on the map." })}
      >
        <Markers clusters={clusters} map={map} describedBy={helpId} onOpen={open} />
      </MapFrame>
      <p id={helpId} hidden>
        Arrow keys lead to the next place or move the map; + and − zoom.
      </p>
      {together.length > 0 && <PlaceLinks places={together} onClose={close} />}
    </div>
  );
}
