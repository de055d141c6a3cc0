import { sampleTripFile } from "./sampleTripFile";
import { sampleTrips } from "./sampleTrips";
import type { Trip, TripFile } from "./trip";

interface TripsQuery {
  /** Undefined until the first answer. */
  trips: readonly Trip[] | undefined;
  error: unknown;
}

/** All trips, in the shape of a hook that asks a server. */
export function useTrips(): TripsQuery {
  return { trips: sampleTrips, error: undefined };
}

interface TripQuery {
  /** Undefined until the first answer. */
  file: TripFile | undefined;
  error: unknown;
}

/** One trip and its records. The id is not looked at: it is always the same trip (specification, section 2). */
export function useTrip(_id: string): TripQuery {
  return { file: sampleTripFile, error: undefined };
}
