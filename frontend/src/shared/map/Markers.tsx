import { type KeyboardEvent, useRef, useState } from "react";
import { Link } from "react-router";
import { useListState } from "@/shared/table/useAddressParams";
import { type Cluster, nextIn } from "./clusters";
import { styleAt } from "./MapFrame";
import styles from "./map.module.css";
import { type Placed, placeText } from "./places";
import type { MapView } from "./useMapView";
import { DIRECTIONS, HEIGHT, panned, ZOOMS } from "./view";

interface MarkersProps {
  clusters: readonly Cluster<Placed>[];
  map: MapView;
  /** The id of what tells of the keys. */
  describedBy: string;
  /** Wants to see what stands together. */
  onOpen: (items: readonly Placed[]) => void;
}

/** Pixels that a key moves the map by where there is no further place. */
const STEP = 80;
const NAMED = 3;
/** So near to the edge no name has room above its place. */
const TOP = 44 - HEIGHT / 2;

/** Places on a map: one stop for the Tab key, from which arrow keys lead to the others. */
export function Markers({ clusters, map, describedBy, onOpen }: MarkersProps) {
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
    else map.show(panned(map.view, [direction[0] * STEP, direction[1] * STEP]));
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

function namesOf(items: readonly Placed[]): string {
  const names = items.slice(0, NAMED).map(({ name }) => name);
  return names.join(", ") + (items.length > NAMED ? ", …" : "");
}
