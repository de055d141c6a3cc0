import { useMemo } from "react";
import { useSWRConfig } from "swr";
import useSWRInfinite, { type SWRInfiniteConfiguration } from "swr/infinite";
import { type ApiResponse, apiClient } from "./client";
import { useMayAsk, useStaleMark } from "./useApiQuery";

/** One page of a long list. */
export interface Part<Item> {
  content: readonly Item[];
}

/** A page with the cursor of the next one. */
export interface Page<Item> extends Part<Item> {
  /** Null after the last page. */
  next: string | null;
}

export type ApiPages<Item, Answer extends Part<Item> = Page<Item>> = ReturnType<
  typeof useApiPages<Item, Answer>
>;

/**
 * Query a paginated list of the API; `queryDefaults` apply to its first page.
 * @param path with its query.
 * @param nextOf returns the query parameter of the page after an answer; null after the last.
 * @param config overrides of `queryDefaults`.
 */
export function useApiPages<Item, Answer extends Part<Item> = Page<Item>>(
  path: string,
  nextOf: (answer: Answer) => string | null = cursorOf as never,
  config: SWRInfiniteConfiguration = {},
) {
  const mayAsk = useMayAsk(path);
  const keyOf = (_index: number, before: ApiResponse<Answer> | null) => {
    if (!mayAsk) return null;
    if (before === null) return path;
    const next = nextOf(before.data);
    return next === null ? null : `${path}${path.includes("?") ? "&" : "?"}${next}`;
  };
  const { cache } = useSWRConfig();
  const knownAt = (key: string) => cache.get(key)?.data as ApiResponse<Answer> | undefined;
  const { data, error, size, setSize, mutate } = useSWRInfinite<ApiResponse<Answer>>(
    keyOf,
    (key: string) => apiClient.get<Answer>(key, { known: knownAt(key) }),
    config,
  );
  useStaleMark(
    data?.find(({ stale }) => stale),
    error,
  );
  const answers = useMemo(() => data?.map((answer) => answer.data), [data]);
  const items = useMemo(() => answers?.flatMap(({ content }) => content), [answers]);
  const last = answers?.at(-1);
  return {
    /** The items of all loaded pages; undefined until the first answer. */
    items,
    /** All loaded pages; undefined until the first answer. */
    answers,
    /** Set while the last attempt failed; `items` may still have earlier answers. */
    error: error as unknown,
    /** The last loaded page. */
    last,
    hasMore: last !== undefined && nextOf(last) !== null,
    isLoadingMore: data !== undefined && size > data.length && error === undefined,
    loadMore: () => void setSize(size + 1),
    /** Reload all loaded pages. */
    retry: () => mutate(),
  };
}

function cursorOf({ next }: Page<unknown>): string | null {
  return next === null ? null : `cursor=${encodeURIComponent(next)}`;
}
