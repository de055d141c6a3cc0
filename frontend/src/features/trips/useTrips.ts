import type { Query } from "@/shared/ui";
import { sampleTripFile } from "./sampleTripFile";
import { sampleTrips } from "./sampleTrips";
import type { Trip, TripFile } from "./trip";

/** All trips. */
export function useTrips(): Query<readonly Trip[]> {
  return { data: sampleTrips, error: undefined };
}

/** One trip and its records. The id is not looked at: it is always the same trip (product.md: screens). */
export function useTrip(_id: string): Query<TripFile> {
  return { data: sampleTripFile, error: undefined };
}
