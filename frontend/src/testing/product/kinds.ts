import { driverDefinition } from "@/features/drivers/definition";
import { horseDefinition } from "@/features/horses/definition";
import { locationDefinition } from "@/features/locations/definition";
import { trailerDefinition } from "@/features/trailers/definition";
import type { RecordDefinition } from "@/shared/records";

/** All kinds of record that are imported. */
export const kinds: readonly RecordDefinition[] = [
  driverDefinition,
  horseDefinition,
  locationDefinition,
  trailerDefinition,
];
