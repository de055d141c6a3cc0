import { Button } from "@blueprintjs/core";
import { Cross } from "@blueprintjs/icons";
import { type KeyboardEvent, type PointerEvent, useEffect, useId, useMemo, useRef, useState } from "react";
import { Link } from "react-router";
import { useListState } from "@/shared/table/useAddressParams";
import { type Cluster, clustersOf, nextIn } from "./clusters";
import { MapFrame, styleAt } from "./MapFrame";
import styles from "./map.module.css";
import { type LinkedPlace, placeText } from "./places";
import { type MapView, useMapView } from "./useMapView";
import {
  canZoom,
  DIRECTIONS,
  fitting,
  HEIGHT,
  NEAREST,
  type Offset,
  offsetOf,
  panned,
  projectionOf,
  type View,
  ZOOMS,
} from "./view";

/**
 * A map of places as links; overlapping places form a cluster with their number. A change of the places fits the view to
 * all of them.
 */
export function PlacesMap({ label, places }: { label: string; places: readonly LinkedPlace[] }) {
  const map = useMapView(places);
  const { view, show, width } = map;
  const [together, setTogether] = useState<readonly LinkedPlace[]>([]);
  const surface = usePanning(map);
  const helpId = useId();

  const positions = places.map(({ latitude, longitude }) => `${latitude},${longitude}`).join(" ");
  // biome-ignore lint/correctness/useExhaustiveDependencies: reloaded places at the same positions are no change
  useEffect(() => {
    show(fitting(places, width()));
    setTogether([]);
  }, [positions, show, width]);

  const clusters = useMemo(() => {
    const project = projectionOf(view);
    return clustersOf(places, (place) => offsetOf(place, view, project), width());
  }, [places, view, width]);

  const open = (items: readonly LinkedPlace[]) => {
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
    <div className="fl-grid fl-gap-6 fl-shrink">
      <MapFrame
        label={`Map: ${label} (${places.length})`}
        map={map}
        fitLabel="Show all"
        surface={surface}
        {...(places.length === 0 && { note: "No coordinates to show." })}
      >
        <Markers clusters={clusters} map={map} describedBy={helpId} onOpen={open} />
      </MapFrame>
      <p id={helpId} hidden>
        Arrow keys select the next place or move the map; + and − zoom.
      </p>
      {together.length > 0 && <PlaceLinks places={together} onClose={close} />}
    </div>
  );
}

interface MarkersProps {
  clusters: readonly Cluster<LinkedPlace>[];
  map: MapView;
  /** The id of the description of the keys. */
  describedBy: string;
  /** Open a cluster. */
  onOpen: (items: readonly LinkedPlace[]) => void;
}

/** Pixels that an arrow key moves the map if there is no next place. */
const KEY_STEP = 80;
/** The number of places named in a cluster's label. */
const NAMED = 3;
/** Above this offset a label has no room above its place. */
const TOP = 44 - HEIGHT / 2;

/** The places and clusters: a single Tab stop with arrow keys (roving tabindex). */
function Markers({ clusters, map, describedBy, onOpen }: MarkersProps) {
  const [current, setCurrent] = useState<string>();
  const state = useListState();
  const list = useRef<HTMLUListElement>(null);
  const found = clusters.findIndex(({ items }) => items.some(({ id }) => id === current));
  const stop = Math.max(0, found);

  const onKeyDown = (event: KeyboardEvent) => {
    const direction = DIRECTIONS[event.key];
    const zoom = ZOOMS[event.key];
    if (event.ctrlKey || event.metaKey || event.altKey || !(direction || zoom)) return;
    event.preventDefault();
    const place = clusters[stop]?.items[0];
    if (zoom) map.zoom(zoom, place);
    if (!direction) return;
    const next = nextIn(clusters, stop, direction);
    if (next >= 0) list.current?.querySelectorAll<HTMLElement>("a, button")[next]?.focus();
    else map.show(panned(map.view, [direction[0] * KEY_STEP, direction[1] * KEY_STEP]));
  };

  return (
    <ul ref={list} className={styles.markers} aria-describedby={describedBy} onKeyDown={onKeyDown}>
      {clusters.map(({ items, at }, index) => {
        const [first] = items;
        if (first === undefined) return null;
        const common = {
          className: styles.marker,
          tabIndex: index === stop ? 0 : -1,
          onFocus: () => setCurrent(first.id),
        };
        return (
          <li
            key={first.id}
            style={styleAt(at)}
            data-side={at[0] > 0 ? "start" : "end"}
            data-top={at[1] < TOP || undefined}
          >
            {items.length === 1 ? (
              <Link
                {...common}
                to={first.href}
                state={state}
                draggable={false}
                aria-label={`${first.name}, ${placeText(first)}`}
              >
                <span className={styles.point} />
                <span className={styles.label}>{first.name}</span>
              </Link>
            ) : (
              <button
                {...common}
                type="button"
                aria-label={`${items.length} places: ${namesOf(items)}`}
                onClick={() => onOpen(items)}
              >
                <span className={styles.count}>{items.length}</span>
                <span className={styles.label}>{namesOf(items)}</span>
              </button>
            )}
          </li>
        );
      })}
    </ul>
  );
}

function namesOf(items: readonly LinkedPlace[]): string {
  const names = items.slice(0, NAMED).map(({ name }) => name);
  return names.join(", ") + (items.length > NAMED ? ", …" : "");
}

/** The places of a cluster that zooming cannot separate, as focused links. */
function PlaceLinks({ places, onClose }: { places: readonly LinkedPlace[]; onClose: () => void }) {
  const state = useListState();
  const list = useRef<HTMLUListElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: focuses each new list
  useEffect(() => list.current?.querySelector("a")?.focus(), [places]);
  return (
    <div className={styles.together}>
      <ul ref={list} aria-label="In this place">
        {places.map(({ id, name, href }) => (
          <li key={id}>
            <Link to={href} state={state}>
              {name}
            </Link>
          </li>
        ))}
      </ul>
      <Button variant="minimal" icon={<Cross />} aria-label="Close" onClick={onClose} />
    </div>
  );
}

/** Pointer handlers that drag the map. */
function usePanning({ view, show, offsetOf }: MapView) {
  const began = useRef<{ view: View; at: Offset }>(null);
  const release = () => {
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
    onPointerUp: release,
    onPointerCancel: release,
  };
}
