import { useEffect, useState } from "react";
import { type SWRConfiguration, useSWRConfig } from "swr";
import type { ApiResponse } from "@/shared/api/client";
import { useApiQuery } from "@/shared/api/useApiQuery";
import { retryingEvery, STATE_API } from "./systemState";
import { type Action, isUnderWay, type System } from "./wire";

const SYSTEM_API = "/api/v1/system";
const NORMAL = 5_000;
const FAST = 2_500;

/** Polling of the open screen; faster while an action runs, and none while the page is hidden. */
export const LIVE: SWRConfiguration = {
  refreshInterval: (latest?: ApiResponse<System>) => (latest?.data.actions.some(isUnderWay) ? FAST : NORMAL),
  ...retryingEvery(NORMAL),
};

/** The system's status, the time in milliseconds at which it was read, and a function that reads it again. */
export function useSystem() {
  const { answer, data: system, error } = useApiQuery<System>(SYSTEM_API);
  const { mutate } = useSWRConfig();
  const [readAt, setReadAt] = useState(() => Date.now());

  useEffect(() => {
    if (answer === undefined) return;
    setReadAt(Date.now());
    // The header shows the same state as the screen.
    void mutate(STATE_API, { ...answer, data: { state: answer.data.state } }, { revalidate: false });
  }, [answer, mutate]);

  return { system, readAt, error, refresh: () => mutate<ApiResponse<System>>(SYSTEM_API) };
}

/** The action of a kind and target that is requested or running. */
export function underWay(
  actions: readonly Action[],
  kind: Action["kind"],
  target: string | null,
): Action | undefined {
  return actions.find(
    (action) => action.kind === kind && (action.target ?? target) === target && isUnderWay(action),
  );
}
