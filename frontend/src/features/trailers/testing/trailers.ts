import { emptyValues } from "@/shared/form";
import { schemaOf } from "@/shared/form/schema";
import { completed } from "@/testing/completed";
import { recordServer } from "@/testing/recordServer";
import { trailerDefinition, type WireTrailer } from "../definition";

export const { api: trailerApi, sections: trailerSections } = trailerDefinition;
export const trailerSchema = schemaOf(trailerSections);

/** A trailer as its form knows it: every value is text, and empty text means "none". */
export type Trailer = ReturnType<typeof trailerApi.toValues>;
export const emptyTrailer = emptyValues(trailerSections) as Trailer;

/** What the server takes. */
export type TrailerBody = Omit<WireTrailer, "id">;

/** What the server takes for a trailer, complete but for what the test says. */
export function trailerBody(differences: Partial<TrailerBody> = {}): TrailerBody {
  return completed<TrailerBody>(
    {
      identifier: "LB-001",
      trailer_registration_number: "MH31AB1234",
      owner_name: "Buch Trailer Service",
      type: "LOW_BED",
      status: "Available",
      capacity_tons: 40,
      axles: 3,
      no_of_tyres: 12,
      name_of_country: "India",
      purchase_date: "2019-11-02",
      registered_at: "2019-11-20",
      ownership_type: "LEASED",
      description_1: "Hydraulic ramps",
      description_2: null,
      description_3: null,
      description_4: null,
      description_5: null,
      data: { currentLocation: "Nagpur", lastMaintenance: "2026-09-12" },
      ...differences,
    },
    trailerApi.toWire(emptyTrailer, undefined),
  );
}

/** What the trailer form asks for, under the server's own names (product.md: records). */
export const TRAILER_FIELDS = Object.keys(trailerBody());

/** A trailer as the server gives it when it is asked for one. */
export function wireTrailer({ id = "TR-001", ...differences }: Partial<WireTrailer> = {}): WireTrailer {
  return { id, ...trailerBody(), ...differences };
}

/** A trailer as the server's list has it, under the list's names as well. */
export function listedTrailer(differences: Partial<WireTrailer> = {}): WireTrailer {
  const trailer = wireTrailer(differences);
  return {
    ...trailer,
    registrationNumber: trailer.trailer_registration_number,
    capacity: trailer.capacity_tons,
    assignedDriver: trailer.owner_name,
    currentLocation: trailer.data?.currentLocation ?? null,
    lastMaintenance: trailer.data?.lastMaintenance ?? null,
  };
}

/** The server's trailers; it gives a new one the id `TR-NEW`. */
export function trailerServer(trailers: readonly WireTrailer[] = []) {
  return recordServer<WireTrailer>(
    {
      path: "/api/v1/trailers",
      wrapper: "trailer_by_pk",
      complete: (body) => ({ ...body, id: "TR-NEW" }),
    },
    trailers,
  );
}
