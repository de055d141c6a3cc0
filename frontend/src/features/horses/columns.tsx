import type { DataColumn } from "@/shared/table";
import type { HorseRow } from "./api";

/** The list's columns, as the specification has them; times in UTC, cut to the minute. */
export const horseColumns: readonly DataColumn<HorseRow>[] = [
  { id: "id", header: "ID", value: (horse) => horse.id, numeric: true },
  { id: "chassis_number", header: "Chassis Number", value: (horse) => horse.chassis_number, numeric: true },
  { id: "engine_number", header: "Engine Number", value: (horse) => horse.engine_number, numeric: true },
  { id: "hired", header: "Hired", value: (horse) => horse.hired },
  { id: "identifier", header: "Identifier", value: (horse) => horse.identifier },
  { id: "owner", header: "Owner", value: (horse) => horse.owner },
  { id: "description", header: "Description", value: (horse) => horse.description },
  { id: "created_at", header: "Created At", value: (horse) => horse.created_at, numeric: true },
  { id: "updated_at", header: "Updated At", value: (horse) => horse.updated_at, numeric: true },
];

/** What the list's search looks through: identifier, chassis_number, engine_number. */
export function horseSearchFields(horse: HorseRow): readonly string[] {
  return [horse.identifier, horse.chassis_number, horse.engine_number];
}
