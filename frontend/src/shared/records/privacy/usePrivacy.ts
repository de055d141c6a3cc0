import { useMemo } from "react";
import { useSWRConfig } from "swr";
import { apiClient, RequestError } from "@/shared/api/client";
import { useApiQuery } from "@/shared/api/useApiQuery";
import { refusalText } from "@/shared/auth/refusal";
import { type Basis, type PrivacyStanding, REQUESTS_API } from "@/shared/privacy/standing";
import { type RecordApi, recordPath } from "../definition";

/** How it stands with a record. */
export function usePrivacy(api: RecordApi, id: string) {
  return useApiQuery<PrivacyStanding>(`${recordPath(api, id)}/privacy`);
}

/** What can be done about a record's data. Each is asked for under an idempotency key. */
export interface PrivacyCommands {
  restrict: (basis: Basis, due: string, reason: string, key: string) => Promise<void>;
  /** @param until null: it need not be kept any more. */
  hold: (until: string | null, reason: string, key: string) => Promise<void>;
  lift: (key: string) => Promise<void>;
  /** @param confirm the record's id, as somebody has typed it. */
  erase: (confirm: string, key: string) => Promise<void>;
}

/** The commands; after each, whatever tells of the record is read again. */
export function usePrivacyCommands(api: RecordApi, id: string): PrivacyCommands {
  const { mutate } = useSWRConfig();
  return useMemo(() => {
    const path = recordPath(api, id);
    const done = async (sent: Promise<unknown>) => {
      await sent;
      await mutate((key) => key === api.path || key === REQUESTS_API || isOf(path, key));
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
  }, [mutate, api, id]);
}

/** What to say of a command that was not carried out: as the server says it, where it does. */
export function failureText(error: unknown): string {
  return refusalText(error) ?? (error instanceof RequestError ? error.message : "Please try again.");
}

/** Which cached answers tell of a record. */
function isOf(path: string, key: unknown): boolean {
  return (
    typeof key === "string" && (key === path || key.startsWith(`${path}/`) || key.startsWith(`${path}?`))
  );
}
