import type { Query } from "@/shared/ui";
import { sampleTripFile } from "./sampleTripFile";
import { sampleTrips } from "./sampleTrips";
import type { Trip, TripFile } from "./trip";

export function useTrips(): Query<readonly Trip[]> {
  return { data: sampleTrips, error: undefined };
}

/** A trip and its records; the same trip for every id (spec, section 2). */
export function useTrip(_id: string): Query<TripFile> {
  return { data: sampleTripFile, error: undefined };
}
