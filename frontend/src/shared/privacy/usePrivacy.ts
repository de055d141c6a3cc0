import { useMemo } from "react";
import { useSWRConfig } from "swr";
import { apiClient } from "@/shared/api/client";
import { useApiQuery } from "@/shared/api/useApiQuery";
import { type Basis, type PrivacyStatus, type PrivacySubject, REQUESTS_API } from "./status";

/** Query a subject's privacy status. */
export function usePrivacy(path: string) {
  return useApiQuery<PrivacyStatus>(`${path}/privacy`);
}

/** Privacy commands, each sent with an idempotency key. */
export interface PrivacyCommands {
  restrict: (basis: Basis, due: string, reason: string, key: string) => Promise<void>;
  /** @param until null ends the hold. */
  hold: (until: string | null, reason: string, key: string) => Promise<void>;
  lift: (key: string) => Promise<void>;
  /** @param confirm the id, as typed by the user. */
  erase: (confirm: string, key: string) => Promise<void>;
}

/** Privacy commands for a subject; each revalidates the queries that show the subject. */
export function usePrivacyCommands({ path, listedAt }: PrivacySubject): PrivacyCommands {
  const { mutate } = useSWRConfig();
  return useMemo(() => {
    const done = async (sent: Promise<unknown>) => {
      await sent;
      const listed = [...listedAt, REQUESTS_API];
      await mutate((key) => listed.includes(String(key).split("?", 1)[0] ?? "") || isOf(path, key));
    };
    const given = (reason: string) => (reason === "" ? undefined : reason);
    return {
      restrict: (basis, due, reason, idempotencyKey) =>
        done(
          apiClient.post(`${path}/restriction`, { basis, due }, { idempotencyKey, reason: given(reason) }),
        ),
      hold: (until, reason, idempotencyKey) =>
        done(apiClient.put(`${path}/restriction/hold`, { until }, { idempotencyKey, reason: given(reason) })),
      lift: (idempotencyKey) => done(apiClient.delete(`${path}/restriction`, { idempotencyKey })),
      erase: (confirm, idempotencyKey) =>
        done(apiClient.post(`${path}/erasure`, { confirm }, { idempotencyKey })),
    };
  }, [mutate, path, listedAt]);
}

/** Return whether a cache key belongs to a subject. */
function isOf(path: string, key: unknown): boolean {
  return (
    typeof key === "string" && (key === path || key.startsWith(`${path}/`) || key.startsWith(`${path}?`))
  );
}
