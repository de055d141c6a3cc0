import { formatJson, parseJson } from "@/shared/form/jsonText";
import { cutToMinute, type RecordApi, readValues, writeValues } from "@/shared/records";
import { type Horse, horseFields } from "./schema";

/** Form name → server name: the form has the server's own. */
const WIRE_NAMES = Object.fromEntries(horseFields.map((name) => [name, name])) as {
  [Name in keyof Horse]: Name;
};

const { metadata: _, ...ROW_NAMES } = WIRE_NAMES;

type RequiredName = "identifier" | "chassis_number" | "engine_number";
const REQUIRED: ReadonlySet<string> = new Set<RequiredName>([
  "identifier",
  "chassis_number",
  "engine_number",
]);
const OPTIONAL: ReadonlySet<keyof Horse> = new Set(horseFields.filter((name) => !REQUIRED.has(name)));

/** A horse as the server gives it. */
export type WireHorse = Record<RequiredName | "id" | "created_at" | "updated_at", string> &
  Record<"owner" | "hired" | "description", string | null> & { metadata: Readonly<Record<string, unknown>> };

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
    ...writeValues(horse, WIRE_NAMES, OPTIONAL),
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
