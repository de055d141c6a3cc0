import type { RecordDefinition } from "@/shared/records";

/** The definitions of all kinds of record in the log; `api.noun` is the log's name. */
export async function loadRecordKinds(): Promise<readonly RecordDefinition[]> {
  const [drivers, trailers, horses, locations, assignments, notifications] = await Promise.all([
    import("@/features/drivers/definition"),
    import("@/features/trailers/definition"),
    import("@/features/horses/definition"),
    import("@/features/locations/definition"),
    import("@/shared/assignments/definition"),
    import("@/features/notifications/definition"),
  ]);
  return [
    ...[drivers.driverDefinition, trailers.trailerDefinition, horses.horseDefinition],
    ...[locations.locationDefinition, assignments.assignmentDefinition, notifications.subscriptionDefinition],
  ];
}
