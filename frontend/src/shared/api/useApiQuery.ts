import useSWR, { type KeyedMutator, type SWRConfiguration } from "swr";
import { useAuthStore } from "@/shared/auth/authStore";
import { type ApiResponse, apiClient } from "./client";

export interface ApiQuery<T> {
  /** The last answer's body, in wire names; map it in the feature's own hook. */
  data: T | undefined;
  etag: string | undefined;
  /** Set while the last attempt failed; `data` may still hold an earlier answer. */
  error: unknown;
  /** Nothing to show yet, and no failure either. */
  isLoading: boolean;
  isValidating: boolean;
  /** SWR's bound mutate for this path; without arguments it asks the server again. */
  mutate: KeyedMutator<ApiResponse<T>>;
}

/**
 * Reads a path of the API through SWR. Nothing is requested before an access token exists, nor while
 * `path` is null. The cache key is the path itself; each user has a cache of their own, so refresh
 * another path with `useSWRConfig().mutate(path)`, not with SWR's global one.
 */
export function useApiQuery<T>(path: string | null, options?: SWRConfiguration<ApiResponse<T>>): ApiQuery<T> {
  const hasToken = useAuthStore((state) => state.accessToken !== null);
  const { data, error, isValidating, mutate } = useSWR<ApiResponse<T>>(
    hasToken ? path : null,
    (key: string) => apiClient.get<T>(key),
    options,
  );
  return {
    data: data?.data,
    etag: data?.etag,
    error,
    isLoading: path !== null && data === undefined && error === undefined,
    isValidating,
    mutate,
  };
}
