import { deleteTwice } from "@/shared/api/deleteTwice";
import { postReturningErrors } from "@/shared/api/postReturningErrors";
import { numberOrNull } from "@/shared/form/numberText";
import {
  asText,
  formatJson,
  type JsonObject,
  parseJsonObject,
  type RecordApi,
  readValues,
  writeValues,
} from "@/shared/records";
import { TRAILER_FIELDS, type Trailer } from "./fields";

/** Form name → server name: the form has the server's own. */
const WIRE_NAMES = Object.fromEntries(TRAILER_FIELDS.map((name) => [name, name])) as {
  [Name in keyof Trailer]: Name;
};

const OPTIONAL: ReadonlySet<keyof Trailer> = new Set(TRAILER_FIELDS.filter((name) => name !== "identifier"));

type NumberName = "capacity_tons" | "axles" | "no_of_tyres";
type TextName = Exclude<keyof Trailer, NumberName | "identifier" | "data">;

/** A trailer as the server takes it. */
export type TrailerBody = { identifier: string; data: JsonObject | null } & Record<TextName, string | null> &
  Record<NumberName, number | null>;

/** What the server's list calls things; a record that has just been saved does not have these names. */
interface ListNames {
  registrationNumber: string | null;
  capacity: number | null;
  assignedDriver: string | null;
  /** Out of `data`, so it may be anything. */
  currentLocation: unknown;
  lastMaintenance: unknown;
}

/** A trailer as the server gives it. */
export type WireTrailer = { id: string } & TrailerBody & Partial<ListNames>;

/** What the list shows of a trailer. Empty text means "none". */
export interface TrailerRow {
  id: string;
  registrationNumber: string;
  type: string;
  capacity: number | null;
  status: string;
  currentLocation: string;
  assignedDriver: string;
  lastMaintenance: string;
}

/** Trailers as the server knows them (specification, sections 3 and 7). */
export const trailerApi: RecordApi<WireTrailer, Trailer, TrailerRow> = {
  noun: "trailer",
  path: "/api/v1/trailers",
  wireNames: WIRE_NAMES,
  unwrap: (answer) => (answer as { trailer_by_pk?: WireTrailer }).trailer_by_pk ?? (answer as WireTrailer),
  toValues: (wire) => ({
    ...readValues<Trailer>(wire, WIRE_NAMES),
    trailer_registration_number: asText(wire.trailer_registration_number ?? wire.registrationNumber),
    owner_name: asText(wire.owner_name ?? wire.assignedDriver),
    capacity_tons: asText(wire.capacity_tons ?? wire.capacity),
    data: formatJson(wire.data),
  }),
  toRow: (wire) => ({
    id: wire.id,
    registrationNumber: asText(wire.registrationNumber ?? wire.trailer_registration_number),
    type: asText(wire.type),
    capacity: wire.capacity ?? wire.capacity_tons,
    status: asText(wire.status),
    currentLocation: asText(wire.currentLocation ?? wire.data?.currentLocation),
    assignedDriver: asText(wire.assignedDriver ?? wire.owner_name),
    lastMaintenance: asText(wire.lastMaintenance ?? wire.data?.lastMaintenance),
  }),
  toWire: (values, loaded) => ({
    ...writeValues(values, WIRE_NAMES, OPTIONAL),
    capacity_tons: numberOrNull(values.capacity_tons),
    axles: numberOrNull(values.axles),
    no_of_tyres: numberOrNull(values.no_of_tyres),
    data: dataToSend(values.data, loaded?.data ?? null),
  }),
  create: async (path, body, options) => {
    const outcome = await postReturningErrors(path, body, options);
    if (outcome instanceof Error) throw outcome;
    return outcome;
  },
  remove: deleteTwice,
};

/** Whether a text says what `data` is to be: nothing, or a JSON object. */
export function isData(text: string): boolean {
  return text.trim() === "" || parseJsonObject(text) !== undefined;
}

/** Text that is no JSON object leaves the previous value unchanged (specification, section 5). */
function dataToSend(text: string, previous: JsonObject | null): JsonObject | null {
  return text.trim() === "" ? null : (parseJsonObject(text) ?? previous);
}
