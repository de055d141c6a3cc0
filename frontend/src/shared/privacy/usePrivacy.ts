import { type SWRConfiguration, useSWRConfig } from "swr";
import { apiClient } from "@/shared/api/client";
import { useApiQuery } from "@/shared/api/useApiQuery";
import { type PrivacyStatus, type PrivacySubject, REQUESTS_API } from "./status";

/** Query a subject's privacy status. */
export function usePrivacy(path: string, config?: SWRConfiguration) {
  return useApiQuery<PrivacyStatus>(`${path}/privacy`, config);
}

/** A request below the subject's path. */
export interface PrivacyCommand {
  method: "post" | "put" | "delete";
  to: string;
  body?: object;
  reason?: string;
}

/** Return a function that sends a command and revalidates the queries that show the subject. */
export function usePrivacyCommand({ path, listedAt }: PrivacySubject) {
  const { mutate } = useSWRConfig();
  return async ({ method, to, body, reason }: PrivacyCommand, idempotencyKey: string): Promise<void> => {
    const options = { idempotencyKey, reason: reason?.trim() || undefined };
    if (method === "delete") await apiClient.delete(`${path}/${to}`, options);
    else await apiClient[method](`${path}/${to}`, body, options);
    const listed = [...listedAt, REQUESTS_API];
    await mutate((key) => listed.includes(String(key).split("?", 1)[0] ?? "") || isOf(path, key));
  };
}

/** Return whether a cache key belongs to a subject. */
function isOf(path: string, key: unknown): boolean {
  return (
    typeof key === "string" && (key === path || key.startsWith(`${path}/`) || key.startsWith(`${path}?`))
  );
}
