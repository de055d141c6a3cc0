import { useSWRConfig } from "swr";
import { lookedAt } from "@/shared/actions";
import type { ApiResponse } from "@/shared/api/client";
import { useAuthStore } from "@/shared/auth/authStore";
import type { Identified, RecordDefinition } from "@/shared/records";
import { listPath } from "@/shared/records/useRecords";
import type { Entry } from "./entries";
import { recordEntry, unknownEntry } from "./records";

/**
 * What the reader looked at last. They are called by name where an open screen knows it, and by id elsewhere: to ask
 * for the names would be recorded as looking at everybody again.
 */
export function useLookedAtEntries(kinds: readonly RecordDefinition[]): readonly Entry[] {
  const { cache } = useSWRConfig();
  const sub = useAuthStore(({ user }) => user?.sub);
  return lookedAt(sub).flatMap(({ kind, id }) => {
    const definition = kinds.find(({ api }) => api.noun === kind);
    if (definition === undefined) return [];
    const { api } = definition;
    const answerAt = (path: string) => (cache.get(path)?.data as ApiResponse<unknown> | undefined)?.data;
    const single = answerAt(`${api.path}/${encodeURIComponent(id)}`);
    const list = answerAt(listPath(api)) as { content: Identified[] } | undefined;
    const wire = single === undefined ? list?.content.find((one) => one.id === id) : api.unwrap(single);
    return [wire === undefined ? unknownEntry(definition, id) : recordEntry(definition, wire, "")];
  });
}
