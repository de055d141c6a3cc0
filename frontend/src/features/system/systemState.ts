import type { SWRConfiguration } from "swr";
import { useApiQuery } from "@/shared/api/useApiQuery";
import type { Wire } from "@/shared/api/wireTypes.gen";
import type { StatusTone } from "@/shared/ui";

export type System = Wire<"System">;
export type Service = Wire<"Service">;
export type Projection = Wire<"Projection">;
export type SetAsideRecord = Wire<"SetAside">;
export type Samples = Wire<"Samples">;
export type Alert = Wire<"Alert">;
export type Action = Wire<"Action">;

export function isUnderWay({ state }: Action): boolean {
  return state === "asked" || state === "running";
}

type SystemState = System["state"];

/** The overall state, which is cheap to poll. */
export const STATE_API = "/api/v1/system/state";

export const STATES: Readonly<Record<SystemState, { label: string; tone: StatusTone }>> = {
  well: { label: "All is well", tone: "success" },
  watch: { label: "Needs attention today", tone: "warning" },
  wrong: { label: "Something is wrong", tone: "danger" },
};

/** The overall state; `unknown` while the server cannot be reached, undefined before the first answer. */
export function useSystemState(): SystemState | "unknown" | undefined {
  const { data, error } = useApiQuery<{ state: SystemState }>(STATE_API, STEADILY);
  return error === undefined ? data?.state : "unknown";
}

/** Retry a failed request at a fixed interval in milliseconds, because an operator waits for the answer. */
export function retryingEvery(interval: number): SWRConfiguration {
  return {
    onErrorRetry: (_error, _key, _config, revalidate, options) => {
      setTimeout(() => void revalidate(options), interval);
    },
  };
}

const STEADILY = retryingEvery(30_000);
