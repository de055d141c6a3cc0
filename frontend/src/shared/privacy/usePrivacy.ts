import { useMemo } from "react";
import { useSWRConfig } from "swr";
import { apiClient } from "@/shared/api/client";
import { useApiQuery } from "@/shared/api/useApiQuery";
import { type Basis, type PrivacyStanding, type PrivacySubject, REQUESTS_API } from "./standing";

/** How it stands with somebody's data. */
export function usePrivacy(path: string) {
  return useApiQuery<PrivacyStanding>(`${path}/privacy`);
}

/** What can be done about somebody's data. Each is asked for under an idempotency key. */
export interface PrivacyCommands {
  restrict: (basis: Basis, due: string, reason: string, key: string) => Promise<void>;
  /** @param until null: it need not be kept any more. */
  hold: (until: string | null, reason: string, key: string) => Promise<void>;
  lift: (key: string) => Promise<void>;
  /** @param confirm the id, as somebody has typed it. */
  erase: (confirm: string, key: string) => Promise<void>;
}

/** The commands; after each, whatever tells of them is read again. */
export function usePrivacyCommands({ path, listedAt }: PrivacySubject): PrivacyCommands {
  const { mutate } = useSWRConfig();
  return useMemo(() => {
    const done = async (sent: Promise<unknown>) => {
      await sent;
      const listed = [...listedAt, REQUESTS_API];
      await mutate((key) => listed.includes(String(key).split("?", 1)[0] ?? "") || isOf(path, key));
    };
    const said = (reason: string) => (reason === "" ? undefined : reason);
    return {
      restrict: (basis, due, reason, idempotencyKey) =>
        done(apiClient.post(`${path}/restriction`, { basis, due }, { idempotencyKey, reason: said(reason) })),
      hold: (until, reason, idempotencyKey) =>
        done(apiClient.put(`${path}/restriction/hold`, { until }, { idempotencyKey, reason: said(reason) })),
      lift: (idempotencyKey) => done(apiClient.delete(`${path}/restriction`, { idempotencyKey })),
      erase: (confirm, idempotencyKey) =>
        done(apiClient.post(`${path}/erasure`, { confirm }, { idempotencyKey })),
    };
  }, [mutate, path, listedAt]);
}

/** Which cached answers tell of somebody. */
function isOf(path: string, key: unknown): boolean {
  return (
    typeof key === "string" && (key === path || key.startsWith(`${path}/`) || key.startsWith(`${path}?`))
  );
}
