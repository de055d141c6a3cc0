import useSWRInfinite from "swr/infinite";
import { useAuthStore } from "@/shared/auth/authStore";
import { type ApiResponse, apiClient } from "./client";

/** A part of a long answer. */
export interface Page {
  /** `cursor` of the next part; null after the last. */
  next: string | null;
}

export interface ApiPages<P extends Page> {
  /** What has been loaded, in its order; undefined until the first answer. */
  pages: readonly P[] | undefined;
  /** Set while the last attempt failed; there may still be pages of an earlier one. */
  error: unknown;
  hasMore: boolean;
  /** More is on its way. */
  isLoadingMore: boolean;
  loadMore: () => void;
  /** Asks again for all that is shown. */
  retry: () => Promise<unknown>;
}

/**
 * Reads a path of the API whose answer comes in parts: the first one, and as many more as are asked for. The
 * first is kept fresh as `queryDefaults` say.
 * @param path with its query, to which the cursor is added.
 */
export function useApiPages<P extends Page>(path: string): ApiPages<P> {
  const hasToken = useAuthStore((state) => state.accessToken !== null);
  const keyOf = (_index: number, before: ApiResponse<P> | null) => {
    if (!hasToken) return null;
    if (before === null) return path;
    return before.data.next === null ? null : `${path}&cursor=${encodeURIComponent(before.data.next)}`;
  };
  const { data, error, size, setSize, mutate } = useSWRInfinite<ApiResponse<P>>(keyOf, (key: string) =>
    apiClient.get<P>(key),
  );
  const pages = data?.map((answer) => answer.data);
  return {
    pages,
    error,
    hasMore: pages?.at(-1)?.next != null,
    isLoadingMore: pages !== undefined && size > pages.length && error === undefined,
    loadMore: () => void setSize(size + 1),
    retry: () => mutate(),
  };
}
