import useSWR, { useSWRConfig } from "swr";
import { type ApiResponse, apiClient } from "./client";
import { WHILE_STALE } from "./queryDefaults";
import { isStale, useStaleMark } from "./staleness";
import { useMayAsk } from "./useMayAsk";

export interface ApiQuery<T> {
  /** The last answer; map its body, which is in wire names, in a hook of your own. */
  answer: ApiResponse<T> | undefined;
  data: T | undefined;
  /** Set while the last attempt failed; `data` may still hold an earlier answer. */
  error: unknown;
  /** `data` is what the path before has answered: this one's answer is on its way. */
  isBehind: boolean;
}

interface QueryOptions {
  /** What another path has answered stays until this one's answer is there. */
  keepsLast?: boolean;
}

/**
 * Reads a path of the API through SWR, which asks again as `queryDefaults` say. Nothing is requested
 * before an access token exists. The cache key is the path itself; each user has a cache of their own, so
 * refresh another path with `useSWRConfig().mutate(path)`, not with SWR's global one.
 * @param path null: nothing is to be asked yet.
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
