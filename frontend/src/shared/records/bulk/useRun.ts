import { useEffect, useState } from "react";
import { useSWRConfig } from "swr";
import { useStore } from "zustand";
import { type ApiResponse, apiClient, isNotFound } from "@/shared/api/client";
import { type Identified, type RecordApi, type RecordDefinition, recordPath } from "../definition";
import { type ListAnswer, listPath } from "../useRecords";
import { BulkRun, type BulkState } from "./bulkRun";
import type { BulkRequest } from "./bulkStore";

/** Seconds until a list is read again that lacks what the server has answered already. */
const UNTIL_CURRENT = 1;

/** Of records of a long list: so many are read, one by one; of the others it is told what they become, not what they were. */
const MOST_READ = 100;

/** The run of a dialog. Where no change is told field by field, it begins with the dry run. */
export function useRun(definition: RecordDefinition, request: BulkRequest): [BulkRun, BulkState] {
  const { mutate } = useSWRConfig();
  const [run] = useState(newRun);
  const state = useStore(run.store);
  const isRunning = state.step === "running";

  function newRun(): BulkRun {
    const { path } = definition.api;
    const list = listPath(definition.api);
    const reload = async (ids: readonly string[]): Promise<readonly Identified[]> => {
      for (;;) {
        const read = (known?: ApiResponse<ListAnswer>) =>
          apiClient.get<ListAnswer>(list, known ? { known } : {});
        const answer = await mutate<ApiResponse<ListAnswer>>(list, read, { revalidate: false });
        if (answer?.data.page) return await readRecords(definition.api, ids.slice(0, MOST_READ));
        if (answer && !answer.stale) return answer.data.content;
        await new Promise((resolve) => setTimeout(resolve, UNTIL_CURRENT * 1000));
      }
    };
    const onChanged = () => {
      const tells = (start: string) => (key: unknown) => typeof key === "string" && key.startsWith(start);
      void mutate(tells(`${path}/`), undefined);
      void mutate((key) => key === path || tells(`${path}?`)(key) || tells("/api/v1/audit")(key));
      request.onDone?.();
    };
    return new BulkRun({ definition, what: request.what, records: request.records, reload, onChanged });
  }

  useEffect(() => {
    if (request.what !== "change" && run.store.getState().step === "asking") void run.check();
  }, [run, request]);

  useEffect(() => {
    if (!isRunning) return;
    const onBeforeUnload = (event: BeforeUnloadEvent) => event.preventDefault();
    window.addEventListener("beforeunload", onBeforeUnload);
    return () => window.removeEventListener("beforeunload", onBeforeUnload);
  }, [isRunning]);

  return [run, state];
}

/** Reads records one by one; those that are not to be had are left out. */
async function readRecords(api: RecordApi, ids: readonly string[]): Promise<readonly Identified[]> {
  const records: Identified[] = [];
  for (const id of ids) {
    try {
      records.push(api.unwrap((await apiClient.get(recordPath(api, id))).data));
    } catch (error) {
      if (!isNotFound(error)) throw error;
    }
  }
  return records;
}
