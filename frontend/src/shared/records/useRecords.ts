import { useMemo } from "react";
import { useApiQuery } from "@/shared/api/useApiQuery";
import { useAsOf } from "@/shared/asOf";
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
import { type Point, queryOf } from "./history/paths";

/** The body of a list's answer. */
export interface ListAnswer {
  content: Identified[];
}

/** All records of a kind, at the moment that the screens show. */
export function useRecordList<Row extends Listed>(
  api: RecordApi<Identified, FormValues, Row>,
): Query<readonly Row[]> {
  const { addressOf } = useAsOf();
  const { data, error } = useApiQuery<ListAnswer>(addressOf(api.path));
  const rows = useMemo(() => data?.content.map((wire) => api.toRow(wire)), [data, api]);
  return { data: rows, error };
}

/** One record, now or at a point of its past. */
export function useRecord(api: RecordApi, id: string, point?: Point): Query<LoadedRecord> {
  const { answer, error } = useApiQuery<unknown>(recordPath(api, id) + queryOf(point));
  const loaded = useMemo(() => answer && loadedFrom(api, answer), [api, answer]);
  return { data: loaded, error };
}
