import type { StatusTone } from "@/shared/ui";

export type TrailerState = "available" | "inUse" | "maintenance" | "outOfService";

const STATES: ReadonlyMap<string, TrailerState> = new Map([
  ["available", "available"],
  ["in use", "inUse"],
  // A running trailer is in use.
  ["running", "inUse"],
  ["maintenance", "maintenance"],
  ["out of service", "outOfService"],
]);

const TONES: Readonly<Record<TrailerState, StatusTone>> = {
  available: "success",
  inUse: "info",
  maintenance: "warning",
  outOfService: "danger",
};

/** What a status means, however it is written: `IN_USE` is `In Use`. Undefined for statuses of their own. */
export function trailerState(status: string): TrailerState | undefined {
  return STATES.get(status.trim().replaceAll("_", " ").toLowerCase());
}

/** The colour of a status; neutral where it is not one of ours. */
export function statusTone(status: string): StatusTone {
  const state = trailerState(status);
  return state ? TONES[state] : "neutral";
}
