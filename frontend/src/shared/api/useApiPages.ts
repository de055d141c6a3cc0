import { useMemo } from "react";
import { useSWRConfig } from "swr";
import useSWRInfinite from "swr/infinite";
import { type ApiResponse, apiClient } from "./client";
import { isStale, useStaleMark } from "./staleness";
import { useMayAsk } from "./useMayAsk";

/** A part of a long answer. */
export interface Part<Item> {
  content: readonly Item[];
}

/** One that says where the next begins. */
export interface Page<Item> extends Part<Item> {
  /** `cursor` of the next part; null after the last. */
  next: string | null;
}

export interface ApiPages<Item, Answer = unknown> {
  /** What has been loaded, in its order; undefined until the first answer. */
  items: readonly Item[] | undefined;
  /** The last of the answers that they are from. */
  last: Answer | undefined;
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
 * @param path with its query, to which is added where a part begins.
 * @param nextOf what that is after an answer; null after the last.
 */
export function useApiPages<Item, Answer extends Part<Item> = Page<Item>>(
  path: string,
  nextOf: (answer: Answer) => string | null = cursorOf as never,
): ApiPages<Item, Answer> {
  const mayAsk = useMayAsk(path);
  const keyOf = (_index: number, before: ApiResponse<Answer> | null) => {
    if (!mayAsk) return null;
    if (before === null) return path;
    const next = nextOf(before.data);
    return next === null ? null : `${path}&${next}`;
  };
  const { cache } = useSWRConfig();
  const knownAt = (key: string) => cache.get(key)?.data as ApiResponse<Answer> | undefined;
  const { data, error, size, setSize, mutate } = useSWRInfinite<ApiResponse<Answer>>(keyOf, (key: string) =>
    apiClient.get<Answer>(key, { known: knownAt(key) }),
  );
  useStaleMark(data?.some(({ stale }) => stale) === true || isStale(undefined, error));
  const items = useMemo(() => data?.flatMap((answer) => answer.data.content), [data]);
  const last = data?.at(-1)?.data;
  return {
    items,
    error,
    last,
    hasMore: last !== undefined && nextOf(last) !== null,
    isLoadingMore: data !== undefined && size > data.length && error === undefined,
    loadMore: () => void setSize(size + 1),
    retry: () => mutate(),
  };
}

function cursorOf({ next }: Page<unknown>): string | null {
  return next === null ? null : `cursor=${encodeURIComponent(next)}`;
}
