import { useEffect, useState } from "react";
import { useSWRConfig } from "swr";
import type { Page } from "@/shared/api/useApiPages";
import { useApiQuery } from "@/shared/api/useApiQuery";
import type { AuditedChange } from "@/shared/history";

/** How often the open panel asks, in milliseconds; not while the page is hidden. */
export const POLL_INTERVAL = 10_000;
const SHOWN = 30;
const PATH = `/api/v1/audit?order=desc&runs=once&limit=${SHOWN}`;

export interface RecentChanges {
  /** The newest first; undefined before the first answer. */
  changes: readonly AuditedChange[] | undefined;
  /** Positions above this one have come since the panel was opened. */
  seen: number;
  /** When the changes were read, in milliseconds. */
  readAt: number;
  error: unknown;
  retry: () => void;
}

/** The last changes by anyone; how often they are read again is told by the SWR configuration around. */
export function useRecentChanges(): RecentChanges {
  const { answer, data, error } = useApiQuery<Page<AuditedChange>>(PATH);
  const { mutate } = useSWRConfig();
  const [seen, setSeen] = useState<number>();
  const [readAt, setReadAt] = useState(() => Date.now());

  useEffect(() => {
    if (data !== undefined) setSeen((before) => before ?? data.content[0]?.position ?? 0);
  }, [data]);
  useEffect(() => {
    if (answer !== undefined) setReadAt(Date.now());
  }, [answer]);

  return {
    changes: data?.content,
    seen: seen ?? Number.POSITIVE_INFINITY,
    readAt,
    error,
    retry: () => void mutate(PATH),
  };
}
