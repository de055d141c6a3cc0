import { type GeoProjection, geoMercator } from "d3-geo";
import type { Place } from "./places";

/** The visible part of the earth. */
export interface View {
  centre: Place;
  /** Pixels per radian at the equator. */
  scale: number;
}

/** The height of every map in pixels. */
export const HEIGHT = 260;
/** The width drawn in pixels, clipped by CSS, so that a change of the map's width needs no redrawing. */
export const DRAWN_WIDTH = 2048;

/** Pixels from the centre, right and down. */
export type Offset = readonly [x: number, y: number];

/** Directions of the arrow keys. */
export const DIRECTIONS: Readonly<Record<string, Offset>> = {
  ArrowLeft: [-1, 0],
  ArrowRight: [1, 0],
  ArrowUp: [0, -1],
  ArrowDown: [0, 1],
};
/** Zoom factors of the keys. */
export const ZOOMS: Readonly<Record<string, number>> = { "+": 2, "-": 0.5 };

/** The limit of the Mercator projection in degrees. */
const NORTHMOST = 85;
const FURTHEST = 40;
export const NEAREST = 40_000;
/** The scale for a single place: a few degrees in height. */
const ROUND_ONE = 2_600;
/** Pixels between the outermost places and the edge. */
const MARGIN = 28;

export function projectionOf({ centre, scale }: View): GeoProjection {
  return geoMercator()
    .scale(scale)
    .rotate([-centre.longitude, 0])
    .center([0, clamped(centre.latitude, NORTHMOST)])
    .translate([0, 0]);
}

/** The offset of a place; at the edge for latitudes beyond the projection's limit. */
export function offsetOf({ latitude, longitude }: Place, view: View, project = projectionOf(view)): Offset {
  return project([longitude, clamped(latitude, NORTHMOST)]) ?? [0, 0];
}

/** The place at an offset. */
export function placeAt(offset: Offset, view: View): Place {
  const [longitude, latitude] = projectionOf(view).invert?.([...offset]) ?? [0, 0];
  return { latitude: clamped(latitude, 90), longitude: clamped(longitude, 180) };
}

/** The number of decimals of a degree that a pixel resolves. */
export function digitsOf({ scale }: View): number {
  return Math.max(0, Math.ceil(Math.log10((scale * Math.PI) / 180)));
}

export function zoomed(view: View, factor: number, centre = view.centre): View {
  return { centre, scale: Math.min(NEAREST, Math.max(FURTHEST, view.scale * factor)) };
}

export function canZoom({ scale }: View, factor: number): boolean {
  return factor > 1 ? scale < NEAREST : scale > FURTHEST;
}

/** The view with its centre moved by an offset. */
export function panned(view: View, by: Offset): View {
  return { ...view, centre: placeAt(by, view) };
}

/** Whether an offset is in view, with a margin to the edge. */
export function isWithin([x, y]: Offset, width: number, margin = MARGIN): boolean {
  return Math.abs(x) <= width / 2 - margin && Math.abs(y) <= HEIGHT / 2 - margin;
}

/** The closest view of all places; the world for none, and by default a few degrees around a single one. */
export function fitting(places: readonly Place[], width: number, nearest = ROUND_ONE): View {
  const [first] = places;
  if (first === undefined) {
    const centre = { latitude: 20, longitude: 0 };
    return zoomed({ centre, scale: Math.min(width / 2 / Math.PI, HEIGHT / 3) }, 1);
  }
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

function ends(values: readonly number[]): readonly [number, number] {
  return values.reduce(
    ([least, most], value) => [Math.min(least, value), Math.max(most, value)],
    [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY],
  );
}

function clamped(value: number, limit: number): number {
  return Math.min(limit, Math.max(-limit, value));
}
