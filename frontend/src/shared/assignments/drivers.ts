import { useEffect, useMemo, useRef } from "react";
import { useApiPages } from "@/shared/api/useApiPages";
import { useAsOf } from "@/shared/asOf";
import { useNow } from "@/shared/format/useNow";
import { nameIn } from "@/shared/references/references";
import type { WireAssignment } from "./assignments";
import { type Intervals, intervalsPath } from "./intervals";

const MINUTE = 60_000;
const NO_DRIVERS: ReadonlyMap<string, string> = new Map();

/** Query the names of the drivers who have trailers now, or at the moment in view, by the trailers' ids. */
export function useDriversOfTrailers(): ReadonlyMap<string, string> {
  const { asOf } = useAsOf();
  const now = useNow(MINUTE);
  // The end of the minute: what started in it is part of the answer.
  const at = asOf ?? new Date(Math.ceil(now / MINUTE) * MINUTE).toISOString();
  const path = intervalsPath({ at, size: 1_000, ...(asOf !== null && { known_at: asOf }) });
  const { answers, hasMore, isLoadingMore, error, loadMore } = useApiPages<WireAssignment, Intervals>(
    path,
    nextOf,
  );
  useEffect(() => {
    if (hasMore && !isLoadingMore && error === undefined) loadMore();
  });
  const found = useMemo(() => answers && driversIn(answers), [answers]);
  // While the next minute's answer is loading.
  const last = useRef({ asOf, found: NO_DRIVERS });
  if (found !== undefined) last.current = { asOf, found };
  return found ?? (last.current.asOf === asOf ? last.current.found : NO_DRIVERS);
}

function nextOf({ page }: Intervals): string | null {
  return page && page.number + 1 < page.totalPages ? `page=${page.number + 1}` : null;
}

function driversIn(answers: readonly Intervals[]): ReadonlyMap<string, string> {
  return new Map(
    answers.flatMap(({ content, names }) =>
      content.flatMap(({ driver, trailers }) =>
        driver === null ? [] : trailers.map((id) => [id, nameIn(names, "driver", driver)] as const),
      ),
    ),
  );
}
