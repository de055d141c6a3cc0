import { useMemo } from "react";
import { useApiPages } from "@/shared/api/useApiPages";
import { useApiQuery } from "@/shared/api/useApiQuery";
import type { Wire } from "@/shared/api/wireTypes.gen";
import { microseconds, useAsOf } from "@/shared/asOf";
import type { Change } from "@/shared/history";
import { historyPath, type RecordApi, recordPath } from "../definition";
import { type Point, queryOf } from "../paths";

export type HistoryQuery = ReturnType<typeof useHistory>;

/** Query a record's history, including earlier registrations. */
export function useHistory(api: RecordApi, id: string) {
  const { asOf } = useAsOf();
  const { items: loaded, ...query } = useApiPages<Change>(historyPath(api, id));
  const changes = useMemo(() => {
    if (asOf === null) return loaded;
    const limit = microseconds(asOf);
    return loaded?.filter(({ moment }) => microseconds(moment) <= limit);
  }, [loaded, asOf]);
  /** The number of changes after the current moment, which are not shown. */
  const later = (loaded?.length ?? 0) - (changes?.length ?? 0);
  /** Latest first, up to the current moment; undefined while loading. */
  return { ...query, changes, later };
}

/** Query the differences between two versions; 0 is the state before the first. */
export function useDifference(api: RecordApi, id: string, from: number, to: number) {
  return useApiQuery<Wire<"Diff">>(`${recordPath(api, id)}/diff?from=${from}&to=${to}`);
}

export const COMPARING = {
  ...{ what: "the difference", loading: "Comparing...", failed: "Failed to compare these versions" },
  onRetry: null,
};

/** Query the last change of each field, by wire name, if they are wanted. */
export function useAuthors(api: RecordApi, id: string, point: Point | undefined, areWanted: boolean) {
  const path = `${recordPath(api, id)}/blame${queryOf(point)}`;
  const { data, error } = useApiQuery<Wire<"Blame">>(areWanted ? path : null);
  const authors = useMemo(() => data && new Map(data.fields.map((one) => [one.field, one])), [data]);
  return { authors, error };
}
