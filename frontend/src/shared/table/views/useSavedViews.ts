import { useMemo } from "react";
import { useSWRConfig } from "swr";
import { type ApiResponse, apiClient } from "@/shared/api/client";
import { useApiQuery } from "@/shared/api/useApiQuery";
import type { Wire } from "@/shared/api/wireTypes.gen";

const VIEWS_API = "/api/v1/views";

/** A view of a list, saved by the signed-in user. */
export type SavedView = Wire<"SavedView">;

type Answer = Wire<"SavedViewList">;

/** The saved views of a list. A command's answer updates the cache before the next query. */
export function useSavedViews(list: string) {
  const { data, error } = useApiQuery<Answer>(VIEWS_API);
  const { mutate } = useSWRConfig();
  const views = useMemo(
    () =>
      data?.content
        .filter((view) => view.list === list)
        .sort((one, other) => one.name.localeCompare(other.name)),
    [data, list],
  );
  return useMemo(() => {
    const change = (changed: (content: readonly SavedView[]) => readonly SavedView[]) =>
      mutate<ApiResponse<Answer>>(
        VIEWS_API,
        // Without the ETag, which belongs to the server's answer.
        (cached) => cached && { ...cached, etag: undefined, data: { content: changed(cached.data.content) } },
        { revalidate: false },
      );
    const pathOf = (id: string) => `${VIEWS_API}/${encodeURIComponent(id)}`;
    return {
      /** Sorted by name; undefined while loading. */
      views,
      /** Set while the views could not be loaded. */
      error: views === undefined ? error : undefined,
      retry: () => void mutate(VIEWS_API),
      /** Save a view; an existing id replaces it. Returns the view as stored. */
      keep: async (id: string, name: string, query: string) => {
        const { data: kept } = await apiClient.put<SavedView>(pathOf(id), { list, name, query });
        await change((content) => [...content.filter((view) => view.id !== kept.id), kept]);
        return kept;
      },
      drop: async (id: string) => {
        await apiClient.delete(pathOf(id));
        await change((content) => content.filter((view) => view.id !== id));
      },
    };
  }, [views, error, mutate, list]);
}
