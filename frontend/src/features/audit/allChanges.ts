import { apiClient } from "@/shared/api/client";
import type { Page } from "@/shared/api/useApiPages";
import type { AuditedChange } from "@/shared/history";
import type { Task } from "@/shared/table/useTask";
import { type AuditFilters, trailPath } from "./filters";

interface Reading extends Partial<Task> {
  /** Stop after about this number of changes. */
  max?: number;
  /** Further parameters of the API. */
  more?: Readonly<Record<string, string>>;
}

/** Load the filtered trail, newest first, to its end. */
export async function allChanges(
  filters: AuditFilters,
  asOf: string | null,
  { more, ...reading }: Reading = {},
): Promise<readonly AuditedChange[]> {
  return allItems(trailPath(filters, asOf, more), reading);
}

/** Load a list that the API returns in parts, to its end. */
export async function allItems<Item>(
  path: string,
  { max = Number.POSITIVE_INFINITY, signal, onProgress }: Omit<Reading, "more">,
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
