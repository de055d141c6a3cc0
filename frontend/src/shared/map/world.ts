import type { Feature, LineString, MultiPolygon, Polygon } from "geojson";
import { useEffect, useState } from "react";
import { feature, mesh } from "topojson-client";
import type { GeometryCollection, Topology } from "topojson-specification";
import fine from "world-atlas/countries-50m.json?url";
import coarse from "world-atlas/countries-110m.json?url";
import type { View } from "./view";

/** A part of a coast or a border with its bounding box in degrees. */
export interface Shape {
  geometry: Polygon | LineString;
  box: { west: number; south: number; east: number; north: number };
}

/** Land and borders of Natural Earth (public domain) from the package world-atlas. */
export interface World {
  land: readonly Shape[];
  borders: readonly Shape[];
  countries: readonly Feature<Polygon | MultiPolygon, { name: string }>[];
}

type Atlas = Topology<{ countries: GeometryCollection<{ name: string }>; land: GeometryCollection }>;

const ADDRESSES = { coarse, fine };

type Detail = keyof typeof ADDRESSES;

const loading = new Map<Detail, Promise<World>>();

/** Load an atlas from our own origin, once; the coarse one is for small scales. */
export function loadWorld(detail: Detail): Promise<World> {
  const read = async () => {
    const response = await fetch(new URL(ADDRESSES[detail], document.baseURI));
    if (!response.ok) throw new Error(`The map data could not be loaded (status ${response.status})`);
    return worldOf((await response.json()) as Atlas);
  };
  const world = loading.get(detail) ?? read();
  loading.set(detail, world);
  world.catch(() => loading.delete(detail)); // Retried by the next call.
  return world;
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

/** The scale above which the coarse atlas is too coarse. */
const COARSE_UP_TO = 300;

/** The atlas in the detail that a view needs (`shapes`), and the one whose countries are named (`named`). */
export function useWorld({ scale }: View) {
  const coarse = useLoaded("coarse", true);
  const fine = useLoaded("fine", scale > COARSE_UP_TO);
  return {
    shapes: (scale > COARSE_UP_TO ? fine.world : undefined) ?? coarse.world,
    named: coarse.world,
    hasFailed: coarse.hasFailed || fine.hasFailed,
    retry: () => {
      coarse.retry();
      fine.retry();
    },
  };
}

function useLoaded(detail: Detail, isNeeded: boolean) {
  const [world, setWorld] = useState<World>();
  const [hasFailed, setFailed] = useState(false);
  useEffect(() => {
    if (!isNeeded || hasFailed || world !== undefined) return;
    let isWanted = true;
    loadWorld(detail).then(
      (loaded) => isWanted && setWorld(loaded),
      () => isWanted && setFailed(true),
    );
    return () => {
      isWanted = false;
    };
  }, [detail, isNeeded, hasFailed, world]);
  return { world, hasFailed, retry: () => setFailed(false) };
}
