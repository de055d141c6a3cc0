import { apiClient } from "@/shared/api/client";
import type { Page } from "@/shared/api/useApiPages";
import type { Task } from "@/shared/table/useTask";

/**
 * Load a list that the API returns in parts, to its end.
 * @param options `max` stops after about this number of items.
 */
export async function allItems<Item>(
  path: string,
  { max = Number.POSITIVE_INFINITY, signal, onProgress }: Partial<Task> & { max?: number } = {},
): Promise<readonly Item[]> {
  const items: Item[] = [];
  for (let cursor: string | null = ""; cursor !== null && items.length <= max; ) {
    // The API's maximum page size.
    const part: string = `${path}&limit=500${cursor && `&cursor=${encodeURIComponent(cursor)}`}`;
    const { data } = await apiClient.get<Page<Item>>(part, signal && { signal });
    items.push(...data.content);
    onProgress?.(items.length);
    cursor = data.next;
  }
  return items;
}
