import type { SWRConfiguration } from "swr";
import { useApiQuery } from "@/shared/api/useApiQuery";
import type { StatusTone } from "@/shared/ui";
import type { System } from "./wire";

export type SystemState = System["state"];

/** Returns the overall state; cheap to poll. */
export const STATE_API = "/api/v1/system/state";

/** Label and colour of each state. */
export const STATES: Readonly<Record<SystemState, { label: string; tone: StatusTone }>> = {
  well: { label: "All is well", tone: "success" },
  watch: { label: "To be looked at today", tone: "warning" },
  wrong: { label: "Something is wrong", tone: "danger" },
};

/** The overall state; `unknown` while the server is not reached, undefined before the first answer. */
export function useSystemState(): SystemState | "unknown" | undefined {
  const { data, error } = useApiQuery<{ state: SystemState }>(STATE_API);
  return error === undefined ? data?.state : "unknown";
}

/** Retries a failed request at a fixed interval in milliseconds, because an operator waits for the answer. */
export function retryingEvery(interval: number): SWRConfiguration {
  return {
    onErrorRetry: (_error, _key, _config, revalidate, options) => {
      setTimeout(() => void revalidate(options), interval);
    },
  };
}
