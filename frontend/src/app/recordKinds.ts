import type { RecordDefinition } from "@/shared/records";

/** The kinds of record that the log keeps; their `api.noun` is what the log calls them. */
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
