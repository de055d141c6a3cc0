import { formatJson, parseJson } from "@/shared/form/jsonText";
import { cutToMinute, type RecordApi, readValues, writeValues } from "@/shared/records";
import type { Horse } from "./schema";

/** Form name → server name: the form has the server's own. */
const ROW_NAMES = {
  id: "id",
  identifier: "identifier",
  chassis_number: "chassis_number",
  engine_number: "engine_number",
  owner: "owner",
  hired: "hired",
  description: "description",
  created_at: "created_at",
  updated_at: "updated_at",
} as const;
const WIRE_NAMES = { ...ROW_NAMES, metadata: "metadata" } as const satisfies Record<keyof Horse, string>;

type RequiredName = "identifier" | "chassis_number" | "engine_number";
type OptionalName = "owner" | "hired" | "description";

const MAY_BE_NULL: ReadonlySet<keyof Horse> = new Set([
  "id",
  "owner",
  "hired",
  "description",
  "created_at",
  "updated_at",
]);

/** A horse as the server gives it. */
export type WireHorse = Record<RequiredName | "id" | "created_at" | "updated_at", string> &
  Record<OptionalName, string | null> & { metadata: Readonly<Record<string, unknown>> };

/** What the list shows of a horse. */
export type HorseRow = Omit<Horse, "metadata">;

/** Horses as the server knows them (specification, sections 3 and 7). */
export const horseApi: RecordApi<WireHorse, Horse, HorseRow> = {
  noun: "horse",
  path: "/api/v1/horses",
  wireNames: WIRE_NAMES,
  unwrap: (answer) => answer as WireHorse,
  toValues: (wire) => ({ ...toRow(wire), metadata: metadataText(wire.metadata) }),
  toRow,
  // The specification sends id and times along, though the server gives them.
  toWire: (horse) => ({
    ...writeValues(horse, WIRE_NAMES, MAY_BE_NULL),
    metadata: horse.metadata === "" ? {} : parseJson(horse.metadata),
  }),
};

function toRow(wire: WireHorse): HorseRow {
  return {
    ...readValues<HorseRow>(wire, ROW_NAMES),
    created_at: cutToMinute(wire.created_at),
    updated_at: cutToMinute(wire.updated_at),
  };
}

/** An empty object is shown as it is asked for: as empty text. */
function metadataText(metadata: WireHorse["metadata"]): string {
  return Object.keys(metadata).length === 0 ? "" : formatJson(metadata);
}
