import { useMemo } from "react";
import useSWRInfinite from "swr/infinite";
import { type ApiResponse, apiClient } from "./client";
import { isStale, useStaleMark } from "./staleness";
import { useMayAsk } from "./useMayAsk";

/** A part of a long answer. */
export interface Page<Item> {
  content: readonly Item[];
  /** `cursor` of the next part; null after the last. */
  next: string | null;
}

export interface ApiPages<Item> {
  /** What has been loaded, in its order; undefined until the first answer. */
  items: readonly Item[] | undefined;
  /** Set while the last attempt failed; there may still be items of an earlier one. */
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
export function useApiPages<Item>(path: string): ApiPages<Item> {
  const mayAsk = useMayAsk(path);
  const keyOf = (_index: number, before: ApiResponse<Page<Item>> | null) => {
    if (!mayAsk) return null;
    if (before === null) return path;
    return before.data.next === null ? null : `${path}&cursor=${encodeURIComponent(before.data.next)}`;
  };
  const { data, error, size, setSize, mutate } = useSWRInfinite<ApiResponse<Page<Item>>>(
    keyOf,
    (key: string) => apiClient.get<Page<Item>>(key),
  );
  useStaleMark(data?.some(({ stale }) => stale) === true || isStale(undefined, error));
  const items = useMemo(() => data?.flatMap((answer) => answer.data.content), [data]);
  return {
    items,
    error,
    hasMore: data?.at(-1)?.data.next != null,
    isLoadingMore: data !== undefined && size > data.length && error === undefined,
    loadMore: () => void setSize(size + 1),
    retry: () => mutate(),
  };
}
