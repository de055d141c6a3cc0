import { useMemo } from "react";
import { useSWRConfig } from "swr";
import { removeRecentRecord } from "@/shared/actions";
import { type ApiResponse, apiClient } from "@/shared/api/client";
import { listsPath } from "@/shared/table/paged/pages";
import { versionOf } from "./changes";
import {
  type FormValues,
  type Identified,
  type LoadedRecord,
  loadedFrom,
  type RecordApi,
  recordPath,
} from "./definition";
import { isListPath, type ListAnswer } from "./useRecords";

export interface Saved {
  id: string;
  /** The version created, which can be undone; undefined if nothing changed. */
  made: number | undefined;
}

export interface RecordCommands {
  /** @param deleted the former record, if it is added again. */
  add: (values: FormValues, idempotencyKey: string, deleted?: LoadedRecord) => Promise<Saved>;
  /** Replace a record's values; the server answers 412 if its ETag has changed. */
  update: (loaded: LoadedRecord, values: FormValues, idempotencyKey: string) => Promise<Saved>;
  remove: (id: string) => Promise<Saved>;
  /**
   * Restore a version by a new change, also of a removed record.
   * @param known the current ETag; the server answers 412 if it has changed.
   * @returns the result and the current version, if known.
   */
  restore: (
    id: string,
    version: number,
    known: string,
    reason: string,
    key: string,
  ) => Promise<Saved & { now: number | undefined }>;
  /**
   * Undo the change that created a version. The server answers 412 if others have changed the same fields since, unless
   * a decision is given.
   * @param decided the current ETag, and the wire names of the fields to keep.
   */
  undo: (
    id: string,
    version: number,
    key: string,
    decided?: { known: string | undefined; keep: readonly string[] },
  ) => Promise<Saved>;
  /** Read the current record from the server. */
  reload: (id: string) => Promise<LoadedRecord>;
}

/** Commands on records. An answer updates the cache before the next query. */
export function useRecordCommands(api: RecordApi): RecordCommands {
  const { mutate } = useSWRConfig();

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

    const store = async (answer: ApiResponse<unknown>) => {
      const saved = api.unwrap(answer.data);
      await mutate(recordPath(api, saved.id), answer, { revalidate: false });
      await changeLists(saved.id, saved, true);
      return { id: saved.id, made: answer.made };
    };

    const drop = async (id: string, revalidate: boolean) => {
      await mutate(recordPath(api, id), undefined, { revalidate });
      await changeLists(id, undefined, revalidate);
    };

    return {
      add: async (values, idempotencyKey, deleted) => {
        const create = api.create ?? apiClient.post;
        // The form has asked for masked values: none is left to keep.
        const former = deleted && { ...deleted.wire, masked: undefined };
        return await store(await create(api.path, api.toWire(values, former), { idempotencyKey }));
      },
      update: async ({ id, wire, etag }, values, idempotencyKey) => {
        const options = { idempotencyKey, ifMatch: etag };
        return await store(await apiClient.put(recordPath(api, id), api.toWire(values, wire), options));
      },
      remove: async (id) => {
        const { made } = await (api.remove ?? apiClient.delete)(recordPath(api, id));
        removeRecentRecord(api.noun, id);
        await drop(id, false);
        return { id, made };
      },
      restore: async (id, version, known, reason, idempotencyKey) => {
        const path = recordPath(api, id);
        const options = { ifMatch: known, idempotencyKey, reason };
        const answer = await apiClient.post(`${path}/restore`, { version }, options);
        const saved = await store(answer);
        await mutate(isBelow(path));
        return { ...saved, now: versionOf(answer.etag) };
      },
      undo: async (id, version, idempotencyKey, decided) => {
        const path = recordPath(api, id);
        const options = { ifMatch: decided?.known, idempotencyKey };
        const answer = await apiClient.post(`${path}/undo`, { version, keep: decided?.keep }, options);
        if (answer.data === undefined) await drop(id, true);
        else await store(answer);
        await mutate(isBelow(path));
        return { id, made: answer.made };
      },
      reload: async (id) => {
        const path = recordPath(api, id);
        const answer = await apiClient.get(path);
        await mutate(path, answer, { revalidate: false });
        return loadedFrom(api, answer);
      },
    };
  }, [mutate, api]);
}

/** Return a list with a record replaced, added or removed; on a page of a long list, a new record is not added. */
function withChange(list: ListAnswer, id: string, saved: Identified | undefined): ListAnswer {
  if (list.page) {
    const content = list.content.flatMap((record) => (record.id === id ? (saved ?? []) : record));
    return { ...list, content };
  }
  return { content: [...list.content.filter((record) => record.id !== id), ...(saved ? [saved] : [])] };
}

/** Match the cache keys of a record's history. */
function isBelow(path: string): (key: unknown) => boolean {
  return (key) => typeof key === "string" && key.startsWith(`${path}/`);
}
