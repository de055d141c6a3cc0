import { useEffect } from "react";
import useSWR, { type SWRConfiguration, useSWRConfig } from "swr";
import { create } from "zustand";
import { useAuthStore } from "@/shared/auth/authStore";
import { ApiError, type ApiResponse, apiClient } from "./client";

/** In milliseconds. */
const WHILE_STALE = { refreshInterval: 5_000 };

/**
 * Query a path of the API through SWR with `queryDefaults`. Nothing is requested before an access token exists. The
 * cache key is the path; each user has their own cache, so revalidate with `useSWRConfig().mutate(path)`, not with SWR's
 * global `mutate`.
 * @param path null for no request.
 * @param config overrides of `queryDefaults`.
 */
export function useApiQuery<T>(path: string | null, config: SWRConfiguration = {}) {
  const mayAsk = useMayAsk(path);
  const { cache, refreshInterval } = { ...useSWRConfig(), ...config };
  const knownAt = (key: string | null) =>
    key === null ? undefined : (cache.get(key)?.data as ApiResponse<T> | undefined);
  const isStaleNow = knownAt(path)?.stale === true && refreshInterval !== 0;
  const { data: answer, error } = useSWR<ApiResponse<T>>(
    mayAsk ? path : null,
    (key: string) => apiClient.get<T>(key, { known: knownAt(key) }),
    { ...config, ...(isStaleNow && WHILE_STALE) },
  );
  useStaleMark(answer, error);
  return {
    /** The last answer, with wire names; map it in a hook of its own. */
    answer,
    data: answer?.data,
    /** Set while the last attempt failed; `data` may still hold an earlier answer. */
    error: error as unknown,
    /** `data` is the previous path's answer while this path's is loading. */
    isBehind: answer !== undefined && knownAt(path) === undefined,
  };
}

/**
 * Return whether a path may be queried: an access token exists, or the answer is cached. Cached answers stay when a
 * session ends, so that open screens keep what the user has typed.
 */
export function useMayAsk(path: string | null): boolean {
  const hasToken = useAuthStore((state) => state.accessToken !== null);
  const { cache } = useSWRConfig();
  return hasToken || (path !== null && cache.get(path)?.data !== undefined);
}

/** The number of stale answers on the screen. */
const useStaleStore = create(() => ({ count: 0 }));

/** Count an answer or error while it is shown, if the server sent it before it had caught up. */
export function useStaleMark(answer: Pick<ApiResponse<unknown>, "stale"> | undefined, error: unknown): void {
  const stale = answer?.stale === true || (error instanceof ApiError && error.stale);
  useEffect(() => {
    if (!stale) return;
    useStaleStore.setState(({ count }) => ({ count: count + 1 }));
    return () => useStaleStore.setState(({ count }) => ({ count: count - 1 }));
  }, [stale]);
}

/** Return whether anything on the screen is stale. */
export function useAnythingStale(): boolean {
  return useStaleStore(({ count }) => count > 0);
}
