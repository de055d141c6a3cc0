import type { z } from "@/shared/config/zod";
import { emptyValues } from "@/shared/form";
import { schemaOf } from "@/shared/form/schema";
import { completed } from "@/testing/completed";
import { recordServer } from "@/testing/recordServer";
import { locationDefinition, type WireLocation } from "../definition";

export const { api: locationApi, sections: locationSections } = locationDefinition;
export const locationSchema = schemaOf(locationSections) as unknown as z.ZodMiniType<Location, Location>;

/** A location as its form knows it: every value is text, and empty text means "none". */
export type Location = ReturnType<typeof locationApi.toValues>;
export const emptyLocation = emptyValues(locationSections) as Location;

/** A location as the server gives it, complete but for what the test says. */
export function wireLocation(differences: Partial<WireLocation> = {}): WireLocation {
  return completed<WireLocation>(
    {
      id: "LOC-0001",
      name: "Kochi depot",
      lat: 9.9312,
      longitude: 76.2673,
      country: "India",
      location_type: "WAREHOUSE",
      attributes: {
        city: "Kochi",
        state: "Kerala",
        postalCode: null,
        status: "Active",
        capacity: 40,
      },
      created_at: "2026-11-20T06:10:04.929Z",
      updated_at: "2026-11-21T17:45:59.001Z",
      ...differences,
    },
    locationApi.toWire(emptyLocation, undefined),
  );
}

/** The server's locations; ids and times are its own. */
export function locationServer(locations: readonly WireLocation[] = []) {
  return recordServer<WireLocation>(
    {
      path: "/api/locations",
      wrapper: "location_by_pk",
      complete: (body) => ({ ...wireLocation(), ...body, id: "LOC-NEW" }),
    },
    locations,
  );
}
