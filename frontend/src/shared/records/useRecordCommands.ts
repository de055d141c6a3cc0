import { useMemo } from "react";
import { useSWRConfig } from "swr";
import { dropLookedAt } from "@/shared/actions";
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

/** What a command has come to. */
export interface Saved {
  id: string;
  /** The version that it has made, which can be undone; undefined where it has changed nothing. */
  made: number | undefined;
}

export interface RecordCommands {
  /** @param deleted what it once was, for a record that is added again. */
  add: (values: FormValues, idempotencyKey: string, deleted?: LoadedRecord) => Promise<Saved>;
  /** Replaces a record by other values, if it still is what was loaded; otherwise the server answers 412. */
  update: (loaded: LoadedRecord, values: FormValues, idempotencyKey: string) => Promise<Saved>;
  remove: (id: string) => Promise<Saved>;
  /**
   * Brings back what a record was at a version, by a new change; also one that is removed now.
   * @param known the ETag of what it is now; where it is something else by then, the server answers 412.
   * @returns and the version that the record has afterwards, if the server says so.
   */
  restore: (
    id: string,
    version: number,
    known: string,
    reason: string,
    key: string,
  ) => Promise<Saved & { now: number | undefined }>;
  /**
   * Takes back what the change that made a version did; where others have changed the same since, the server
   * answers 412, unless it is told what is known of that.
   * @param decided the ETag of what the record is now, and the server's names of what stays like that.
   */
  undo: (
    id: string,
    version: number,
    key: string,
    decided?: { known: string | undefined; keep: readonly string[] },
  ) => Promise<Saved>;
  /** Asks the server what the record is now. */
  reload: (id: string) => Promise<LoadedRecord>;
}

/** Changes to records. What a command's answer says is in the cache before any screen asks again. */
export function useRecordCommands(api: RecordApi): RecordCommands {
  const { mutate } = useSWRConfig();

  return useMemo(() => {
    /** In the lists at hand; of long ones, of which there are pages and counts, the server knows the rest. */
    const changeLists = async (id: string, saved: Identified | undefined, revalidate: boolean) => {
      await mutate<ApiResponse<ListAnswer>>(
        (key) => isListPath(api, key) && !String(key).includes("as_of="),
        // Without the ETag: it names what the server sent, and this is something else.
        (cached) => cached && { ...cached, etag: undefined, data: withChange(cached.data, id, saved) },
        { revalidate: (cached) => revalidate || cached?.data.page !== undefined },
      );
      await mutate((key) => String(key).startsWith(`${listsPath(api.path)}/`));
    };

    const remember = async (answer: ApiResponse<unknown>) => {
      const saved = api.unwrap(answer.data);
      await mutate(recordPath(api, saved.id), answer, { revalidate: false });
      await changeLists(saved.id, saved, true);
      return { id: saved.id, made: answer.made };
    };

    const forget = async (id: string, revalidate: boolean) => {
      await mutate(recordPath(api, id), undefined, { revalidate });
      await changeLists(id, undefined, revalidate);
    };

    return {
      add: async (values, idempotencyKey, deleted) => {
        const create = api.create ?? apiClient.post;
        // What was hidden has been asked for: there is nothing left that the server could keep.
        const former = deleted && { ...deleted.wire, masked: undefined };
        return await remember(await create(api.path, api.toWire(values, former), { idempotencyKey }));
      },
      update: async ({ id, wire, etag }, values, idempotencyKey) => {
        const options = { idempotencyKey, ifMatch: etag };
        return await remember(await apiClient.put(recordPath(api, id), api.toWire(values, wire), options));
      },
      remove: async (id) => {
        const { made } = await (api.remove ?? apiClient.delete)(recordPath(api, id));
        dropLookedAt(api.noun, id);
        await forget(id, false);
        return { id, made };
      },
      restore: async (id, version, known, reason, idempotencyKey) => {
        const path = recordPath(api, id);
        const options = { ifMatch: known, idempotencyKey, reason };
        const answer = await apiClient.post(`${path}/restore`, { version }, options);
        const saved = await remember(answer);
        await mutate(isBelow(path));
        return { ...saved, now: versionOf(answer.etag) };
      },
      undo: async (id, version, idempotencyKey, decided) => {
        const path = recordPath(api, id);
        const options = { ifMatch: decided?.known, idempotencyKey };
        const answer = await apiClient.post(`${path}/undo`, { version, keep: decided?.keep }, options);
        if (answer.data === undefined) await forget(id, true);
        else await remember(answer);
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

/** A list after a record was saved, or removed; on which page of a long one a new one is, the server knows. */
function withChange(list: ListAnswer, id: string, saved: Identified | undefined): ListAnswer {
  if (list.page) {
    const content = list.content.flatMap((record) => (record.id === id ? (saved ?? []) : record));
    return { ...list, content };
  }
  return { content: [...list.content.filter((record) => record.id !== id), ...(saved ? [saved] : [])] };
}

/** Which cached answers tell of a record's past. */
function isBelow(path: string): (key: unknown) => boolean {
  return (key) => typeof key === "string" && key.startsWith(`${path}/`);
}
