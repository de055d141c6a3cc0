import type { RecordDefinition } from "@/shared/records";

/** The definitions of all kinds of record in the log; `api.noun` is the log's name. */
export async function loadRecordKinds(): Promise<readonly RecordDefinition[]> {
  const [{ driverDefinition }, { trailerDefinition }, { horseDefinition }, { locationDefinition }] =
    await Promise.all([
      import("@/features/drivers/definition"),
      import("@/features/trailers/definition"),
      import("@/features/horses/definition"),
      import("@/features/locations/definition"),
    ]);
  return [driverDefinition, trailerDefinition, horseDefinition, locationDefinition];
}
