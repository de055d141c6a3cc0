import { type GeoProjection, geoMercator } from "d3-geo";
import type { Place } from "./places";

/** What part of the earth a map shows. */
export interface View {
  /** What is in the middle. */
  centre: Place;
  /** Pixels to a radian at the equator. */
  scale: number;
}

/** How high every map is. */
export const HEIGHT = 260;
/** How much is drawn, and cut off where there is less room: so nothing is drawn again when a map's width changes. */
export const DRAWN_WIDTH = 2048;

/** Pixels from the middle, to the right and down. */
export type Offset = readonly [x: number, y: number];

/** Where arrow keys lead. */
export const DIRECTIONS: Readonly<Record<string, Offset>> = {
  ArrowLeft: [-1, 0],
  ArrowRight: [1, 0],
  ArrowUp: [0, -1],
  ArrowDown: [0, 1],
};
/** How much nearer keys bring the earth. */
export const ZOOMS: Readonly<Record<string, number>> = { "+": 2, "-": 0.5 };

/** Beyond it, Mercator's map has no end. */
const NORTHMOST = 85;
const FURTHEST = 40;
export const NEAREST = 40_000;
/** A few degrees from top to bottom. */
const ROUND_ONE = 2_600;
/** Between the outermost places and the edge. */
const MARGIN = 28;

/** Where places are in a view. */
export function projectionOf({ centre, scale }: View): GeoProjection {
  return geoMercator()
    .scale(scale)
    .rotate([-centre.longitude, 0])
    .center([0, clamped(centre.latitude, NORTHMOST)])
    .translate([0, 0]);
}

/** Where a place is; beyond the map's north and south, at their edge. */
export function offsetOf({ latitude, longitude }: Place, view: View, project = projectionOf(view)): Offset {
  return project([longitude, clamped(latitude, NORTHMOST)]) ?? [0, 0];
}

/** What place is so far from the middle. */
export function placeAt(offset: Offset, view: View): Place {
  const [longitude, latitude] = projectionOf(view).invert?.([...offset]) ?? [0, 0];
  return { latitude: clamped(latitude, 90), longitude: clamped(longitude, 180) };
}

/** How many digits of a degree a pixel tells apart. */
export function digitsOf({ scale }: View): number {
  return Math.max(0, Math.ceil(Math.log10((scale * Math.PI) / 180)));
}

export function zoomed(view: View, factor: number, centre = view.centre): View {
  return { centre, scale: Math.min(NEAREST, Math.max(FURTHEST, view.scale * factor)) };
}

export function canZoom({ scale }: View, factor: number): boolean {
  return factor > 1 ? scale < NEAREST : scale > FURTHEST;
}

/** The view after its middle has moved by so many pixels. */
export function panned(view: View, by: Offset): View {
  return { ...view, centre: placeAt(by, view) };
}

/** Whether an offset is within a map of this width, and not at its very edge. */
export function isWithin([x, y]: Offset, width: number, margin = MARGIN): boolean {
  return Math.abs(x) <= width / 2 - margin && Math.abs(y) <= HEIGHT / 2 - margin;
}

/** The nearest view that has all places; of none, the world, and of one, by default, a few degrees round it. */
export function fitting(places: readonly Place[], width: number, nearest = ROUND_ONE): View {
  const [first] = places;
  if (first === undefined) return worldIn(width);
  const flat = { centre: { latitude: 0, longitude: 0 }, scale: 1 };
  const offsets = places.map((place) => offsetOf(place, flat));
  const [west, east] = ends(offsets.map(([x]) => x));
  const [north, south] = ends(offsets.map(([, y]) => y));
  const scale = Math.min(
    (Math.max(width, 4 * MARGIN) - 2 * MARGIN) / (east - west),
    (HEIGHT - 2 * MARGIN) / (south - north),
    nearest,
  );
  const centre = places.length === 1 ? first : placeAt([(west + east) / 2, (north + south) / 2], flat);
  return zoomed({ centre, scale }, 1);
}

function worldIn(width: number): View {
  return zoomed(
    { centre: { latitude: 20, longitude: 0 }, scale: Math.min(width / 2 / Math.PI, HEIGHT / 3) },
    1,
  );
}

function ends(values: readonly number[]): readonly [number, number] {
  return values.reduce(
    ([least, most], value) => [Math.min(least, value), Math.max(most, value)],
    [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY],
  );
}

function clamped(value: number, limit: number): number {
  return Math.min(limit, Math.max(-limit, value));
}
