import { emptyValues } from "@/shared/form";
import { schemaOf } from "@/shared/form/schema";
import { completed } from "@/testing/completed";
import { recordServer } from "@/testing/recordServer";
import { horseDefinition, type WireHorse } from "../definition";

export const { api: horseApi, sections: horseSections } = horseDefinition;
export const horseSchema = schemaOf(horseSections);

/** A horse as its form knows it: every value is text, and empty text means "none". */
export type Horse = ReturnType<typeof horseApi.toValues>;
export const emptyHorse = emptyValues(horseSections) as Horse;

/** A horse as the server gives it, complete but for what the test says. */
export function wireHorse(differences: Partial<WireHorse> = {}): WireHorse {
  return completed<WireHorse>(
    {
      id: "HRS-0001",
      chassis_number: "MAT127DFYRW544589",
      engine_number: "ISBE6.7-94431068",
      hired: "No",
      identifier: "Prima 5530.S #001",
      owner: "Pandit Roadlines",
      metadata: { make: "Tata", year: 2024 },
      description: null,
      created_at: "2026-11-20T06:10:04.929Z",
      updated_at: "2026-11-21T17:45:59.001Z",
      ...differences,
    },
    horseApi.toWire(emptyHorse, undefined),
  );
}

/** The server's horses: single ones come bare, and times are its own. */
export function horseServer(horses: readonly WireHorse[] = []) {
  const { created_at, updated_at } = wireHorse();
  return recordServer<WireHorse>(
    {
      path: "/api/v1/horses",
      complete: (body) => ({ ...body, id: body.id ?? "HRS-NEW", created_at, updated_at }),
    },
    horses,
  );
}
