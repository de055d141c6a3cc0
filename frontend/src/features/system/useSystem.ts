import { useEffect, useState } from "react";
import { type SWRConfiguration, useSWRConfig } from "swr";
import type { ApiResponse } from "@/shared/api/client";
import { useApiQuery } from "@/shared/api/useApiQuery";
import { retryingEvery, STATE_API } from "./pulse";
import { type Action, isUnderWay, type System } from "./wire";

const SYSTEM_API = "/api/v1/system";
const CALM = 5_000;
const CLOSELY = 2_500;

/** How the open screen is kept fresh, in milliseconds; not while it is hidden. What failed is asked again as often. */
export const LIVE: SWRConfiguration = {
  refreshInterval: (latest?: ApiResponse<System>) => (latest?.data.actions.some(isUnderWay) ? CLOSELY : CALM),
  ...retryingEvery(CALM),
};

/** How the system is doing, when that was read (in milliseconds), and a way to ask again at once. */
export function useSystem() {
  const { answer, data: system, error } = useApiQuery<System>(SYSTEM_API);
  const { mutate } = useSWRConfig();
  const [readAt, setReadAt] = useState(() => Date.now());

  useEffect(() => {
    if (answer === undefined) return;
    setReadAt(Date.now());
    // The header says the same as the screen.
    void mutate(STATE_API, { ...answer, data: { state: answer.data.state } }, { revalidate: false });
  }, [answer, mutate]);

  return { system, readAt, error, refresh: () => mutate<ApiResponse<System>>(SYSTEM_API) };
}

/** What of a kind and a target is asked for or done just now. */
export function underWay(
  actions: readonly Action[],
  kind: Action["kind"],
  target: string | null,
): Action | undefined {
  return actions.find(
    (action) => action.kind === kind && (action.target ?? target) === target && isUnderWay(action),
  );
}
