import { useMemo } from "react";
import { useSearchParams } from "react-router";
import { apiClient } from "@/shared/api/client";
import { useApiQuery } from "@/shared/api/useApiQuery";
import { useAsOf } from "@/shared/asOf";
import { isConnectionSlow } from "@/shared/config/connection";
import { runtimeConfig } from "@/shared/config/runtime";
import type { Query } from "@/shared/ui";
import {
  type FormValues,
  type Identified,
  type Listed,
  type LoadedRecord,
  loadedFrom,
  type RecordApi,
  recordPath,
} from "./definition";
import { type Point, queryOf } from "./paths";

/** Longer lists are loaded page by page. */
const WHOLE_UP_TO = isConnectionSlow() ? 100 : 5_000;

/** The body of a list's answer. */
export interface ListAnswer {
  /** All records, or those of a page. */
  content: Identified[];
  page?: { totalElements: number };
}

/** Return the path of a list; for a long list, the answer has only the total. */
export function listPath({ path }: Pick<RecordApi, "path">): string {
  return `${path}?whole_up_to=${runtimeConfig().wholeUpTo ?? WHOLE_UP_TO}`;
}

/** Return whether a cache key belongs to a list. */
export function isListPath({ path }: Pick<RecordApi, "path">, key: unknown): boolean {
  return typeof key === "string" && (key === path || key.startsWith(`${path}?`));
}

/** At most, while the server has not caught up with this user's latest changes; each read waits for it. */
const MOST_READS = 5;

/** Read a list without the cache, including this user's latest changes. */
export async function readList(path: string): Promise<ListAnswer> {
  let answer = await apiClient.get<ListAnswer>(path);
  for (let reads = 1; answer.stale && reads < MOST_READS; reads++) answer = await apiClient.get(path);
  return answer.data;
}

/** Query a kind's list at the current moment, of a long one the total. A list of the past is always loaded completely. */
export function useSizedList<Row extends Listed>(
  api: RecordApi<Identified, FormValues, Row>,
): Query<{ rows: readonly Row[] } | { total: number }> {
  const { asOf, addressOf } = useAsOf();
  const { data, error } = useApiQuery<ListAnswer>(asOf === null ? listPath(api) : addressOf(api.path));
  const list = useMemo(() => {
    if (data?.page) return { total: data.page.totalElements };
    return data && { rows: data.content.map((wire) => api.toRow(wire)) };
  }, [data, api]);
  return { data: list, error };
}

/** Query all records of a kind at the current moment, of any number. */
export function useRecordList<Row extends Listed>(
  api: RecordApi<Identified, FormValues, Row>,
): Query<readonly Row[]> {
  const { data, error } = useSizedList(api);
  const isLong = data !== undefined && "total" in data;
  const whole = useApiQuery<ListAnswer>(isLong ? api.path : null);
  const rows = useMemo(() => whole.data?.content.map((wire) => api.toRow(wire)), [whole.data, api]);
  return isLong ? { data: rows, error: whole.error } : { data: data?.rows, error };
}

/** Query the record whose row the list's address names (`row=`): the list shows it on any page and with any filter. */
export function useNamedRow<Row extends Listed>(
  api: RecordApi<Identified, FormValues, Row>,
): Row | undefined {
  const id = useSearchParams()[0].get("row");
  const { asOf } = useAsOf();
  const { data } = useApiQuery<unknown>(id === null || asOf !== null ? null : recordPath(api, id));
  return useMemo(() => (data === undefined ? undefined : api.toRow(api.unwrap(data))), [api, data]);
}

/** Query a record, now or at a point of its history; undefined for no request. */
export function useRecord(api: RecordApi, id: string | undefined, point?: Point): Query<LoadedRecord> {
  const path = id === undefined ? null : recordPath(api, id) + queryOf(point);
  const { answer, error } = useApiQuery<unknown>(path);
  const loaded = useMemo(() => answer && loadedFrom(api, answer), [api, answer]);
  return { data: loaded, error };
}
