import { useMemo } from "react";
import { useApiQuery } from "@/shared/api/useApiQuery";
import { useAsOf } from "@/shared/asOf";
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

/** Longer lists are asked for what is shown of them, a page at a time. */
const WHOLE_UP_TO = 5_000;

/** The body of a list's answer. */
export interface ListAnswer {
  /** All of them; or, where it is told which page this is, those of that. */
  content: Identified[];
  page?: { totalElements: number };
}

/** Where a list is asked for: all of it, unless it is long. */
export function listPath({ path }: Pick<RecordApi, "path">): string {
  return `${path}?whole_up_to=${runtimeConfig().wholeUpTo ?? WHOLE_UP_TO}`;
}

/** Whether an address of the API, which may be anything, is that of a list, all or a part of it. */
export function isListPath({ path }: Pick<RecordApi, "path">, key: unknown): boolean {
  return typeof key === "string" && (key === path || key.startsWith(`${path}?`));
}

/** A list that is at hand as a whole, or else how long it is. */
export type SizedList<Row> = { rows: readonly Row[] } | { total: number };

/** The records of a kind, at the moment that the screens show; what was is read whole, however long. */
export function useSizedList<Row extends Listed>(
  api: RecordApi<Identified, FormValues, Row>,
): Query<SizedList<Row>> {
  const { asOf, addressOf } = useAsOf();
  const { data, error } = useApiQuery<ListAnswer>(asOf === null ? listPath(api) : addressOf(api.path));
  const list = useMemo(() => {
    if (data?.page) return { total: data.page.totalElements };
    return data && { rows: data.content.map((wire) => api.toRow(wire)) };
  }, [data, api]);
  return { data: list, error };
}

/** All records of a kind, at the moment that the screens show, however many there are. */
export function useRecordList<Row extends Listed>(
  api: RecordApi<Identified, FormValues, Row>,
): Query<readonly Row[]> {
  const { data, error } = useSizedList(api);
  const isLong = data !== undefined && "total" in data;
  const whole = useApiQuery<ListAnswer>(isLong ? api.path : null);
  const rows = useMemo(() => whole.data?.content.map((wire) => api.toRow(wire)), [whole.data, api]);
  return isLong ? { data: rows, error: whole.error } : { data: data?.rows, error };
}

/** One record, now or at a point of its past. */
export function useRecord(api: RecordApi, id: string, point?: Point): Query<LoadedRecord> {
  const { answer, error } = useApiQuery<unknown>(recordPath(api, id) + queryOf(point));
  const loaded = useMemo(() => answer && loadedFrom(api, answer), [api, answer]);
  return { data: loaded, error };
}
