import { useMemo } from "react";
import { type ApiPages, type Page, useApiPages } from "@/shared/api/useApiPages";
import { useApiQuery } from "@/shared/api/useApiQuery";
import type { Wire } from "@/shared/api/wireTypes.gen";
import { microseconds, useAsOf } from "@/shared/asOf";
import type { Change } from "@/shared/history";
import { type RecordApi, recordPath } from "../definition";
import { type Point, queryOf } from "../paths";

/** As many as the API gives at once: filters then see all of nearly every history. */
const PAGE = 1000;

export interface HistoryQuery extends Omit<ApiPages<Change>, "items"> {
  /** The latest first, up to the moment that is shown; undefined until the first answer. */
  changes: readonly Change[] | undefined;
  /** How many are not shown because they came after that moment. */
  later: number;
}

/** What happened to a record, in all its lives. */
export function useHistory(api: RecordApi, id: string): HistoryQuery {
  const { asOf } = useAsOf();
  const path = `${recordPath(api, id)}/history?order=desc&limit=${PAGE}`;
  const { items: loaded, ...query } = useApiPages<Change>(path);
  const changes = useMemo(() => {
    if (asOf === null) return loaded;
    const limit = microseconds(asOf);
    return loaded?.filter(({ moment }) => microseconds(moment) <= limit);
  }, [loaded, asOf]);
  return { ...query, changes, later: (loaded?.length ?? 0) - (changes?.length ?? 0) };
}

/** One change of a record, and the last one. */
export function useChange(api: RecordApi, id: string, version: number): { change?: Change; last?: Change } {
  const path = `${recordPath(api, id)}/history`;
  const at = useApiQuery<Page<Change>>(`${path}?cursor=${version - 1}&limit=1`);
  const latest = useApiQuery<Page<Change>>(`${path}?order=desc&limit=1`);
  const change = at.data?.content.find((one) => one.version === version);
  const last = latest.data?.content[0];
  return { ...(change && { change }), ...(last && { last }) };
}

/** What differs between two versions of a record; 0 is before its first. */
export function useDifference(api: RecordApi, id: string, from: number, to: number) {
  return useApiQuery<Wire<"Diff">>(`${recordPath(api, id)}/diff?from=${from}&to=${to}`);
}

/** What is said of it until it is there. */
export const COMPARING = {
  ...{ what: "the difference", loading: "Comparing...", failed: "Failed to compare these versions" },
  onRetry: null,
};

/** Who last set each field of a record, by the server's names. */
export function useAuthors(api: RecordApi, id: string, point: Point | undefined) {
  const { data, error } = useApiQuery<Wire<"Blame">>(`${recordPath(api, id)}/blame${queryOf(point)}`);
  const authors = useMemo(() => data && new Map(data.fields.map((one) => [one.field, one])), [data]);
  return { authors, error };
}
