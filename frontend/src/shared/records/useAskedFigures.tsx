import { useMemo } from "react";
import { useCount } from "@/shared/api/useCount";
import { useToday } from "@/shared/expiry/useToday";
import type { HiddenNames } from "@/shared/form";
import { useFigureFilter } from "@/shared/table";
import { type Asked, NO_VALUE, withQuery } from "@/shared/table/paged/pages";
import { useAskedChoices } from "@/shared/table/paged/useAskedChoices";
import type { RecordDefinition } from "./definition";
import type { Listed } from "./fields";
import { type FigureSpec, shownFigures } from "./figures";

const NO_ROWS: readonly Listed[] = [];
const grouped = new Intl.NumberFormat("en-IN");

/**
 * The figures of a list that is not at hand, as its server counts them, and what the one chosen narrows the list to:
 * undefined while that is not known.
 */
export function useAskedFigures(
  { api, filters }: RecordDefinition,
  specs: readonly FigureSpec[],
  hidden: HiddenNames,
  total: number,
) {
  const today = useToday();
  const wireOf = (cell: string) => filters.find(({ id }) => id === cell)?.wire ?? cell;
  const figures = shownFigures(specs, hidden, ({ counts }) =>
    counts ? <AskedCount path={api.path} wire={wireOf(counts.cell)} counts={counts} today={today} /> : total,
  );
  const { chosen, choose } = useFigureFilter(NO_ROWS, figures);
  const counts = chosen === null ? undefined : specs.find((spec) => spec.counts?.filter === chosen)?.counts;
  const wire = counts && wireOf(counts.cell);
  const answer = useAskedChoices(counts?.has && wire ? { path: api.path, field: wire } : undefined);
  const narrowing = useMemo((): Asked | undefined => {
    if (counts === undefined || wire === undefined) return [];
    if (counts.days) return [[wire, counts.days(today)]];
    const values = answer?.choices.filter(({ value }) => counts.has?.(value));
    // By itself, no value would be every value.
    return values?.length === 0 ? [[wire, NO_VALUE]] : values?.map(({ value }) => [wire, value]);
  }, [counts, wire, answer, today]);
  return { figures, chosen, choose, narrowing };
}

interface AskedCountProps {
  path: string;
  wire: string;
  counts: NonNullable<FigureSpec["counts"]>;
  today: Date;
}

function AskedCount({ path, wire, counts: { days, has }, today }: AskedCountProps) {
  const counted = useCount(days ? withQuery(path, [[wire, days(today)]]) : null);
  const answer = useAskedChoices(has && { path, field: wire });
  const sum = answer?.choices.reduce((before, { value, count }) => before + (has?.(value) ? count : 0), 0);
  const count = days ? counted : sum;
  return count === undefined ? "–" : grouped.format(count);
}
