import { isNumeric } from "@/shared/form/numberText";

/** A position in degrees; north and east are positive. */
export interface Place {
  latitude: number;
  longitude: number;
}

/** A place with a page. */
export interface LinkedPlace extends Place {
  id: string;
  name: string;
  href: string;
}

/** The place of a form's coordinates; undefined if one is no number in range. */
export function readPlace(latitude: string, longitude: string): Place | undefined {
  const place = { latitude: degrees(latitude), longitude: degrees(longitude) };
  return Math.abs(place.latitude) <= 90 && Math.abs(place.longitude) <= 180 ? place : undefined;
}

/** `18.9498° N, 72.9512° E` */
export function placeText({ latitude, longitude }: Place): string {
  return `${oneWay(latitude, "N", "S")}, ${oneWay(longitude, "E", "W")}`;
}

/** A place rounded to a number of decimals. */
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
