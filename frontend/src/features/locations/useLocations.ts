import { useMemo } from "react";
import { useRecordList } from "@/shared/records/useRecords";
import { type LocationRow, locationApi } from "./api";
import { sampleLocations } from "./sampleLocations";

export interface LocationsQuery {
  /** The samples, followed by what the server has saved. */
  locations: readonly LocationRow[];
  /** What is saved has not been heard of yet. */
  isLoading: boolean;
  /** Set while the last attempt failed; there may still be locations of an earlier one. */
  error: unknown;
}

/** All locations. */
export function useLocations(): LocationsQuery {
  const { rows: saved, error } = useRecordList(locationApi);
  const locations = useMemo(() => (saved ? [...SAMPLE_ROWS, ...saved] : SAMPLE_ROWS), [saved]);
  return { locations, isLoading: saved === undefined && error === undefined, error };
}

const SAMPLE_ROWS: readonly LocationRow[] = sampleLocations.map(locationApi.toRow);
