import { useMemo } from "react";
import { useSWRConfig } from "swr";
import { type ApiResponse, apiClient } from "@/shared/api/client";
import { useApiQuery } from "@/shared/api/useApiQuery";
import type { Wire } from "@/shared/api/wireTypes.gen";

export const VIEWS_API = "/api/v1/views";

/** A view of a list that whoever is signed in has saved. */
export type SavedView = Wire<"SavedView">;

type Answer = Wire<"SavedViewList">;

interface SavedViews {
  /** Those of the list, by their names; undefined while they are not known. */
  views: readonly SavedView[] | undefined;
  /** Why they are not; undefined while they are being read. */
  error: unknown;
  retry: () => void;
  /** Saves one; under an id that there is, in its place. Returns it as the server has it. */
  keep: (id: string, name: string, query: string) => Promise<SavedView>;
  drop: (id: string) => Promise<void>;
}

/** The views of a list that are saved. What a command's answer says is in the cache before anybody asks again. */
export function useSavedViews(list: string): SavedViews {
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
        // Without the ETag: it names what the server sent, and this is something else.
        (cached) => cached && { ...cached, etag: undefined, data: { content: changed(cached.data.content) } },
        { revalidate: false },
      );
    const pathOf = (id: string) => `${VIEWS_API}/${encodeURIComponent(id)}`;
    return {
      views,
      error: views === undefined ? error : undefined,
      retry: () => void mutate(VIEWS_API),
      keep: async (id, name, query) => {
        const { data: kept } = await apiClient.put<SavedView>(pathOf(id), { list, name, query });
        await change((content) => [...content.filter((view) => view.id !== kept.id), kept]);
        return kept;
      },
      drop: async (id) => {
        await apiClient.delete(pathOf(id));
        await change((content) => content.filter((view) => view.id !== id));
      },
    };
  }, [views, error, mutate, list]);
}
