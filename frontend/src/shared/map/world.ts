import type { Feature, LineString, MultiPolygon, Polygon } from "geojson";
import { feature, mesh } from "topojson-client";
import type { GeometryCollection, Topology } from "topojson-specification";
import fine from "world-atlas/countries-50m.json?url";
import coarse from "world-atlas/countries-110m.json?url";

/** Part of a coast or a border, and the degrees between which all of it is. */
export interface Shape {
  geometry: Polygon | LineString;
  box: { west: number; south: number; east: number; north: number };
}

/** Land and borders: Natural Earth's, which are in the public domain, as the package world-atlas has them. */
export interface World {
  land: readonly Shape[];
  borders: readonly Shape[];
  countries: readonly Feature<Polygon | MultiPolygon, { name: string }>[];
}

type Atlas = Topology<{ countries: GeometryCollection<{ name: string }>; land: GeometryCollection }>;

const ADDRESSES = { coarse, fine };

export type Detail = keyof typeof ADDRESSES;

const loading = new Map<Detail, Promise<World>>();

/** Reads one of the two worlds from our own origin, once: the coarse one is for maps that show much of it. */
export function loadWorld(detail: Detail): Promise<World> {
  const begun = loading.get(detail) ?? readWorld(ADDRESSES[detail]);
  loading.set(detail, begun);
  begun.catch(() => loading.delete(detail)); // next time again
  return begun;
}

async function readWorld(address: string): Promise<World> {
  const response = await fetch(new URL(address, document.baseURI));
  if (!response.ok) throw new Error(`The map's land was answered with ${response.status}`);
  return worldOf((await response.json()) as Atlas);
}

export function worldOf(atlas: Atlas): World {
  const { features } = feature(atlas, atlas.objects.land);
  const { features: countries } = feature(atlas, atlas.objects.countries);
  const land = features.flatMap(({ geometry }) =>
    geometry.type === "MultiPolygon" ? geometry.coordinates : [],
  );
  const borders = mesh(atlas, atlas.objects.countries, (one, other) => one !== other).coordinates;
  return {
    land: land.map((coordinates) => ({
      geometry: { type: "Polygon", coordinates },
      box: boxOf(coordinates.flat()),
    })),
    borders: borders.map((coordinates) => ({
      geometry: { type: "LineString", coordinates },
      box: boxOf(coordinates),
    })),
    countries: countries as World["countries"],
  };
}

function boxOf(positions: readonly number[][]): Shape["box"] {
  const box = { west: 180, south: 90, east: -180, north: -90 };
  for (const [longitude = 0, latitude = 0] of positions) {
    box.west = Math.min(box.west, longitude);
    box.east = Math.max(box.east, longitude);
    box.south = Math.min(box.south, latitude);
    box.north = Math.max(box.north, latitude);
  }
  return box;
}
