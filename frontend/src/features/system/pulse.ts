import type { SWRConfiguration } from "swr";
import { useApiQuery } from "@/shared/api/useApiQuery";
import type { StatusTone } from "@/shared/ui";
import type { System } from "./wire";

export type SystemState = System["state"];

/** Tells how the system is doing in one word, and costs little to ask. */
export const STATE_API = "/api/v1/system/state";

/** What each state is called, and how it looks. */
export const STATES: Readonly<Record<SystemState, { label: string; tone: StatusTone }>> = {
  well: { label: "All is well", tone: "success" },
  watch: { label: "To be looked at today", tone: "warning" },
  wrong: { label: "Something is wrong", tone: "danger" },
};

/** How the system is doing; `unknown` while it cannot be asked, undefined before the first answer. */
export function useSystemState(): SystemState | "unknown" | undefined {
  const { data, error } = useApiQuery<{ state: SystemState }>(STATE_API);
  return error === undefined ? data?.state : "unknown";
}

/** Asks again every so many milliseconds where nothing was answered: whoever is on call waits for the first answer. */
export function retryingEvery(interval: number): SWRConfiguration {
  return {
    onErrorRetry: (_error, _key, _config, revalidate, options) => {
      setTimeout(() => void revalidate(options), interval);
    },
  };
}
