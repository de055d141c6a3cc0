import type { StatusTone } from "@/shared/ui";

export type TripStatus = "Scheduled" | "In Transit" | "Completed" | "Delayed";

/** A trip in the list. Dates are `YYYY-MM-DD`; null where nothing is assigned yet. */
export interface Trip {
  id: string;
  tripName: string;
  clientName: string;
  loadingPoint: string;
  deliveryPoint: string;
  status: TripStatus;
  driver: string | null;
  vehicle: string | null;
  startDate: string;
  expectedDelivery: string;
}

/** The address of a trip's area. */
export function tripPath(id: string): string {
  return `/trips/${encodeURIComponent(id)}`;
}

const TONES = new Map<string, StatusTone>([
  ["Scheduled", "warning"],
  ["In Transit", "info"],
  ["Completed", "success"],
  ["Delayed", "danger"],
]);

/** The colour of a status; neutral for an unknown one. */
export function tripTone(status: string): StatusTone {
  return TONES.get(status) ?? "neutral";
}

/** The text at a dotted path such as `client.name`; empty if there is none. */
export function textAt(record: unknown, path: string): string {
  let value = record;
  for (const name of path.split(".")) {
    // Ignores inherited members such as `constructor`.
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, name)) return "";
    value = (value as Record<string, unknown>)[name];
  }
  return String(value ?? "");
}
