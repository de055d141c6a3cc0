import { cutToMinute, type RecordApi, readValues, textOrNull } from "@/shared/records";
import type { Location } from "./schema";

/** Form name → server name. */
const WIRE_NAMES = {
  location_name: "name",
  country: "country",
  location_type: "location_type",
  lat: "lat",
  longitude: "longitude",
  city: "attributes.city",
  state: "attributes.state",
  postalCode: "attributes.postalCode",
  status: "attributes.status",
  capacity: "attributes.capacity",
  created_at: "created_at",
  updated_at: "updated_at",
} as const satisfies Record<keyof Location, string>;

/** What of a location is to be written. */
export interface LocationBody {
  name: string;
  country: string;
  location_type: Location["location_type"];
  lat: number;
  longitude: number;
  attributes: Record<"city" | "state" | "postalCode", string | null> & {
    status?: string | null;
    capacity?: string | number | null;
  };
}

/** A location as the server gives it. */
export type WireLocation = LocationBody & Record<"id" | "created_at" | "updated_at", string>;

/** What a list knows of a location. */
export type LocationRow = Location & { id: string };

/** Locations as the server knows them (specification, sections 3 and 7). */
export const locationApi: RecordApi<WireLocation, Location, LocationRow> = {
  noun: "location",
  path: "/api/locations",
  wireNames: WIRE_NAMES,
  unwrap: (answer) => (answer as { location_by_pk: WireLocation }).location_by_pk,
  toValues,
  toRow: (wire) => ({ id: wire.id, ...toValues(wire) }),
  toWire: (values, loaded): LocationBody => ({
    name: values.location_name,
    country: values.country,
    location_type: values.location_type,
    lat: Number(values.lat),
    longitude: Number(values.longitude),
    // A PUT replaces them all, so those that the form does not ask for go along.
    attributes: {
      ...loaded?.attributes,
      city: textOrNull(values.city),
      state: textOrNull(values.state),
      postalCode: textOrNull(values.postalCode),
    },
  }),
};

function toValues(wire: WireLocation): Location {
  return {
    ...readValues<Location>(wire, WIRE_NAMES),
    created_at: cutToMinute(wire.created_at),
    updated_at: cutToMinute(wire.updated_at),
  };
}
