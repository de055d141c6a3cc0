import { type FleetFigures, sampleFleet } from "./sampleFleet";

interface FleetQuery {
  /** Undefined until the first answer. */
  fleet: FleetFigures | undefined;
  error: unknown;
}

/** The fleet's figures, in the shape of a hook that asks a server. */
export function useFleet(): FleetQuery {
  return { fleet: sampleFleet, error: undefined };
}
