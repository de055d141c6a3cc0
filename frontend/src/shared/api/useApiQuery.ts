import useSWR, { useSWRConfig } from "swr";
import { type ApiResponse, apiClient } from "./client";
import { WHILE_STALE } from "./queryDefaults";
import { isStale, useStaleMark } from "./staleness";
import { useMayAsk } from "./useMayAsk";

export interface ApiQuery<T> {
  /** The last answer, with wire names; map it in a hook of its own. */
  answer: ApiResponse<T> | undefined;
  data: T | undefined;
  /** Set while the last attempt failed; `data` may still hold an earlier answer. */
  error: unknown;
  /** `data` is the previous path's answer while this path's is loading. */
  isBehind: boolean;
}

interface QueryOptions {
  /** Keep the previous path's answer while loading. */
  keepsLast?: boolean;
}

/**
 * Query a path of the API through SWR with `queryDefaults`. Nothing is requested before an access token exists. The
 * cache key is the path; each user has their own cache, so revalidate with `useSWRConfig().mutate(path)`, not with SWR's
 * global `mutate`.
 * @param path null for no request.
 */
export function useApiQuery<T>(path: string | null, { keepsLast = false }: QueryOptions = {}): ApiQuery<T> {
  const mayAsk = useMayAsk(path);
  const { cache, refreshInterval } = useSWRConfig();
  const knownAt = (key: string | null) =>
    key === null ? undefined : (cache.get(key)?.data as ApiResponse<T> | undefined);
  const isStaleNow = knownAt(path)?.stale === true && refreshInterval !== 0;
  const { data: answer, error } = useSWR<ApiResponse<T>>(
    mayAsk ? path : null,
    (key: string) => apiClient.get<T>(key, { known: knownAt(key) }),
    { keepPreviousData: keepsLast, ...(isStaleNow && WHILE_STALE) },
  );
  useStaleMark(isStale(answer, error));
  const isBehind = answer !== undefined && knownAt(path) === undefined;
  return { answer, data: answer?.data, error, isBehind };
}
