import { useEffect, useState } from "react";
import { apiClient } from "@/shared/api/client";
import { useApiQuery } from "@/shared/api/useApiQuery";
import type { Wire } from "@/shared/api/wireTypes.gen";

type Days = Wire<"Days">;

/** How many parts are counted by themselves; what is further back is left out then, and that is said. */
const PARTS_AT_ONCE = 4;

export interface CountedDays {
  /** By day; undefined before the first answer. Of another question until this one is answered. */
  counts: ReadonlyMap<string, number> | undefined;
  /** The counts are of what was asked. */
  isCurrent: boolean;
  /** Counting took too long to go back to the first day. */
  isCutShort: boolean;
  error: unknown;
}

/** How many changes each day has, counted part by part where counting takes long. */
export function useDays(path: string): CountedDays {
  const { data: newest, error } = useApiQuery<Days>(path);
  const [shown, setShown] = useState<{ newest: Days; parts: readonly Days[]; path: string }>();

  useEffect(() => {
    if (newest === undefined) return;
    const controller = new AbortController();
    void (async () => {
      const parts = [newest];
      setShown({ newest, parts: [...parts], path });
      for (let next = newest.next; next !== null && parts.length < PARTS_AT_ONCE; ) {
        const { data } = await apiClient.get<Days>(`${path}&cursor=${next}`, { signal: controller.signal });
        if (controller.signal.aborted) return;
        parts.push(data);
        setShown({ newest, parts: [...parts], path });
        next = data.next;
      }
    })().catch(() => undefined); // what has been counted stays, and is called incomplete
    return () => controller.abort();
  }, [newest, path]);

  return {
    counts: shown && addedUp(shown.parts),
    isCurrent: shown?.path === path,
    isCutShort: shown !== undefined && shown.parts.at(-1)?.next !== null,
    error,
  };
}

function addedUp(parts: readonly Days[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const { day, changes } of parts.flatMap(({ content }) => content)) {
    counts.set(day, (counts.get(day) ?? 0) + changes);
  }
  return counts;
}
