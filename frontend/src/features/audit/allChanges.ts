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
  { max = Number.POSITIVE_INFINITY, more, signal, onProgress }: Reading = {},
): Promise<readonly AuditedChange[]> {
  const changes: AuditedChange[] = [];
  for (let cursor: string | null = ""; cursor !== null && changes.length <= max; ) {
    // The API's maximum page size.
    const path = trailPath(filters, asOf, { ...more, limit: "500", ...(cursor && { cursor }) });
    const { data } = await apiClient.get<Page<AuditedChange>>(path, signal && { signal });
    changes.push(...data.content);
    onProgress?.(changes.length);
    cursor = data.next;
  }
  return changes;
}
