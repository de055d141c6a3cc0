import type { StatusTone } from "@/shared/ui";
import type { Trip, TripStatus } from "./trip";

const TONES: Readonly<Record<TripStatus, StatusTone>> = {
  Scheduled: "warning",
  "In Transit": "info",
  Completed: "success",
  Delayed: "danger",
};

/** The colour of a status; neutral where it is not one of ours. */
export function tripTone(status: string): StatusTone {
  return new Map<string, StatusTone>(Object.entries(TONES)).get(status) ?? "neutral";
}

/** The figures on the list's cards. Delayed trips are in the total alone. */
export function countTrips(trips: readonly Pick<Trip, "status">[]) {
  const having = (wanted: TripStatus) => trips.filter(({ status }) => status === wanted).length;
  return {
    total: trips.length,
    inTransit: having("In Transit"),
    completed: having("Completed"),
    scheduled: having("Scheduled"),
  };
}
