import type { StatusTone } from "@/shared/ui";

export type TrailerState = "available" | "inUse" | "maintenance" | "outOfService";

const STATES: ReadonlyMap<string, TrailerState> = new Map([
  ["available", "available"],
  ["in use", "inUse"],
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

/** The state of a status in any spelling (`IN_USE` is `In Use`); undefined for an unknown status. */
export function trailerState(status: string): TrailerState | undefined {
  return STATES.get(status.trim().replaceAll("_", " ").toLowerCase());
}

/** The colour of a status; neutral for an unknown one. */
export function statusTone(status: string): StatusTone {
  const state = trailerState(status);
  return state ? TONES[state] : "neutral";
}
