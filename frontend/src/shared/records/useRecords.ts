import { useMemo } from "react";
import { useApiQuery } from "@/shared/api/useApiQuery";
import {
  type FormValues,
  type Identified,
  type LoadedRecord,
  loadedFrom,
  type RecordApi,
  recordPath,
} from "./definition";

/** The body of a list's answer. */
export interface ListAnswer {
  content: Identified[];
}

export interface RecordListQuery<Row> {
  /** Undefined until the first answer. */
  rows: readonly Row[] | undefined;
  /** Set while the last attempt failed; there may still be rows of an earlier one. */
  error: unknown;
}

/** All records of a kind. */
export function useRecordList<Row extends Identified>(
  api: RecordApi<Identified, FormValues, Row>,
): RecordListQuery<Row> {
  const { data, error } = useApiQuery<ListAnswer>(api.path);
  const rows = useMemo(() => data?.content.map((wire) => api.toRow(wire)), [data, api]);
  return { rows, error };
}

export interface RecordQuery {
  /** Undefined until the first answer. */
  loaded: LoadedRecord | undefined;
  /** Set while the last attempt failed; what was loaded earlier may still be there. */
  error: unknown;
}

/** One record. */
export function useRecord(api: RecordApi, id: string): RecordQuery {
  const { answer, error } = useApiQuery<unknown>(recordPath(api, id));
  const loaded = useMemo(() => answer && loadedFrom(api, answer), [api, answer]);
  return { loaded, error };
}
