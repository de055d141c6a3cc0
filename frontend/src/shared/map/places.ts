import { isNumeric } from "@/shared/form/numberText";

/** A place on the earth, in degrees: north and east are positive. */
export interface Place {
  latitude: number;
  longitude: number;
}

/** Something that is somewhere, and has a page of its own. */
export interface Placed extends Place {
  id: string;
  name: string;
  href: string;
}

/** The place that two texts name, as a form has them; undefined where either is no number in range. */
export function readPlace(latitude: string, longitude: string): Place | undefined {
  const place = { latitude: degrees(latitude), longitude: degrees(longitude) };
  return isOnEarth(place) ? place : undefined;
}

export function isOnEarth({ latitude, longitude }: Place): boolean {
  return Math.abs(latitude) <= 90 && Math.abs(longitude) <= 180;
}

/** As people write it: `18.9498° N, 72.9512° E`. */
export function placeText({ latitude, longitude }: Place): string {
  return `${oneWay(latitude, "N", "S")}, ${oneWay(longitude, "E", "W")}`;
}

/** Rounded to so many digits after the point, and without those that say nothing. */
export function rounded({ latitude, longitude }: Place, digits: number): Place {
  const round = (value: number) => Number(value.toFixed(digits)) + 0; // no -0
  return { latitude: round(latitude), longitude: round(longitude) };
}

function degrees(text: string): number {
  return isNumeric(text.trim()) && text.trim() !== "" ? Number(text) : Number.NaN;
}

function oneWay(value: number, positive: string, negative: string): string {
  return `${Math.abs(value)}°${value === 0 ? "" : ` ${value > 0 ? positive : negative}`}`;
}
