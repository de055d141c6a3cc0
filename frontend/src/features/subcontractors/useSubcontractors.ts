import { sampleSubcontractors } from "./sampleSubcontractors";
import type { Subcontractor } from "./subcontractors";

export interface SubcontractorsQuery {
  /** Undefined until the first answer. */
  subcontractors: readonly Subcontractor[] | undefined;
  /** Set while the last attempt failed. */
  error: unknown;
}

/** All subcontractors; of the shape that a list from the server has. */
export function useSubcontractors(): SubcontractorsQuery {
  return SAMPLES;
}

const SAMPLES: SubcontractorsQuery = { subcontractors: sampleSubcontractors, error: undefined };
