import { useCallback, useMemo } from "react";
import { useSWRConfig } from "swr";
import { useAsOf } from "@/shared/asOf";
import { useRecordList } from "@/shared/records/useRecords";
import { locationDefinition } from "./definition";
import { sampleLocations } from "./sampleLocations";

const { api } = locationDefinition;

/** What a list knows of a location. */
export type LocationRow = ReturnType<typeof api.toRow>;

export interface LocationsQuery {
  /** The samples, followed by what the server has saved. */
  locations: readonly LocationRow[];
  /** What is saved has not been heard of yet. */
  isLoading: boolean;
  /** Set while the last attempt failed; there may still be locations of an earlier one. */
  error: unknown;
  /** Asks for what is saved at once, rather than at the next calm interval. */
  retry: () => Promise<unknown>;
}

/** All locations. */
export function useLocations(): LocationsQuery {
  const { rows: saved, error } = useRecordList(api);
  const locations = useMemo(() => (saved ? [...SAMPLE_ROWS, ...saved] : SAMPLE_ROWS), [saved]);
  const { mutate } = useSWRConfig();
  const { addressOf } = useAsOf();
  const retry = useCallback(() => mutate(addressOf(api.path)), [mutate, addressOf]);
  return { locations, isLoading: saved === undefined && error === undefined, error, retry };
}

const SAMPLE_ROWS: readonly LocationRow[] = sampleLocations.map(api.toRow);
