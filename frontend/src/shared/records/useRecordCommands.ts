import { useMemo } from "react";
import { useNavigate } from "react-router";
import { useSWRConfig } from "swr";
import { unstable_serialize } from "swr/infinite";
import { removeRecentRecord } from "@/shared/actions";
import { ApiError, type ApiResponse, apiClient } from "@/shared/api/client";
import { labelOf } from "@/shared/history";
import { listsPath } from "@/shared/table/paged/pages";
import { toast } from "@/shared/toast";
import { versionOf } from "./changes";
import {
  type FormValues,
  historyPath,
  type Identified,
  type LoadedRecord,
  loadedFrom,
  type RecordDefinition,
  recordPath,
} from "./definition";
import { viewPath } from "./paths";
import { isListPath, type ListAnswer } from "./useRecords";

export interface Saved {
  id: string;
  /** The version created, which can be undone; undefined if nothing changed. */
  made: number | undefined;
}

/** The current ETag, and the wire names of the fields to keep. */
export interface UndoDecision {
  known: string | undefined;
  keep: readonly string[];
}

export type RecordCommands = ReturnType<typeof useRecordCommands>;

/** Commands on records. An answer updates the cache before the next query; a toast names duplicates that it allows. */
export function useRecordCommands({
  api,
  labels,
  paths,
}: Pick<RecordDefinition, "api" | "labels" | "paths">) {
  const { mutate } = useSWRConfig();
  const navigate = useNavigate();

  return useMemo(() => {
    /** Update cached lists; pages and counts of long lists are revalidated. */
    const changeLists = async (id: string, saved: Identified | undefined, revalidate: boolean) => {
      await mutate<ApiResponse<ListAnswer>>(
        (key) => isListPath(api, key) && !String(key).includes("as_of="),
        // Without the ETag, which belongs to the server's answer.
        (cached) => cached && { ...cached, etag: undefined, data: withChange(cached.data, id, saved) },
        { revalidate: (cached) => revalidate || cached?.data.page !== undefined },
      );
      await mutate((key) => String(key).startsWith(`${listsPath(api.path)}/`));
    };

    const warn = ({ duplicates = [] }: ApiResponse<unknown>) => {
      for (const { field, record } of duplicates) {
        const message = `${labelOf(labels, field)}: ${record ?? `another ${api.noun}`} has the same value.`;
        const view = record && { text: "View", onSelect: () => void navigate(viewPath(paths, record)) };
        toast.show({ title: "Duplicate value", message, actions: [view || undefined] });
      }
    };

    const store = async (answer: ApiResponse<unknown>): Promise<Saved> => {
      warn(answer);
      const saved = api.unwrap(answer.data);
      await mutate(recordPath(api, saved.id), answer, { revalidate: false });
      await changeLists(saved.id, saved, true);
      return { id: saved.id, made: answer.made };
    };

    const drop = async (id: string, revalidate: boolean) => {
      await mutate(recordPath(api, id), undefined, { revalidate });
      await changeLists(id, undefined, revalidate);
    };

    const reloadHistory = async (id: string) => {
      await mutate((key) => String(key).startsWith(`${recordPath(api, id)}/`));
      await mutate(unstable_serialize(() => historyPath(api, id)));
    };

    return {
      ...{ store, drop, reloadHistory },
      /** @param deleted the former record, if it is added again. */
      add: async (values: FormValues, idempotencyKey: string, deleted?: LoadedRecord) => {
        const create = api.create ?? apiClient.post;
        // The form has asked for masked values: none is left to keep.
        const former = deleted && { ...deleted.wire, masked: undefined };
        return await store(await create(api.path, api.toWire(values, former), { idempotencyKey }));
      },
      /** Replace a record's values; the server answers 412 if its ETag has changed. */
      update: async (
        { id, wire, etag }: LoadedRecord,
        values: FormValues,
        idempotencyKey: string,
        reason?: string,
      ) => {
        const options = { idempotencyKey, ifMatch: etag, reason };
        return await store(await apiClient.put(recordPath(api, id), api.toWire(values, wire), options));
      },
      remove: async (id: string) => {
        await (api.remove ?? apiClient.delete)(recordPath(api, id));
        removeRecentRecord(api.noun, id);
        await drop(id, false);
      },
      /**
       * Restore a version by a new change, also of a removed record.
       * @param ifMatch the current ETag; the server answers 412 if it has changed.
       * @returns the version created, if known.
       */
      restore: async (
        id: string,
        version: number,
        ifMatch: string,
        reason: string,
        idempotencyKey: string,
      ) => {
        const options = { ifMatch, idempotencyKey, reason };
        const answer = await apiClient.post(`${recordPath(api, id)}/restore`, { version }, options);
        await store(answer);
        await reloadHistory(id);
        return versionOf(answer.etag);
      },
      /**
       * Undo the change that created a version. The server answers 412 if others have changed the same fields since,
       * unless a decision is given.
       * @returns the version created; undefined if nothing changed.
       */
      undo: async (id: string, version: number, idempotencyKey: string, decided?: UndoDecision) => {
        const options = { ifMatch: decided?.known, idempotencyKey };
        const body = { version, keep: decided?.keep };
        const answer = await apiClient.post(`${recordPath(api, id)}/undo`, body, options);
        if (answer.data === undefined) await drop(id, true);
        else await store(answer);
        await reloadHistory(id);
        // A merge has changed another record too.
        await mutate((key) => String(key).startsWith(`${api.path}/`));
        return answer.made;
      },
      /** Read the current record from the server, again if the server has not caught up with our last write. */
      reload: async (id: string) => {
        const path = recordPath(api, id);
        const answer = await caughtUp(() => apiClient.get(path));
        await mutate(path, answer, { revalidate: false });
        return loadedFrom(api, answer);
      },
    };
  }, [mutate, navigate, api, labels, paths]);
}

/** The number of reads, each of which the server answers after 2 s at most. */
const MOST_READS = 5;

async function caughtUp(read: () => Promise<ApiResponse<unknown>>): Promise<ApiResponse<unknown>> {
  for (let reads = 1; ; reads += 1) {
    try {
      const answer = await read();
      if (!answer.stale || reads === MOST_READS) return answer;
    } catch (error) {
      if (!(error instanceof ApiError && error.stale) || reads === MOST_READS) throw error;
    }
  }
}

/** Return a list with a record replaced, added or removed; on a page of a long list, a new record is not added. */
function withChange(list: ListAnswer, id: string, saved: Identified | undefined): ListAnswer {
  if (list.page) {
    const content = list.content.flatMap((record) => (record.id === id ? (saved ?? []) : record));
    return { ...list, content };
  }
  return { content: [...list.content.filter((record) => record.id !== id), ...(saved ? [saved] : [])] };
}
