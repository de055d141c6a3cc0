import { useMemo } from "react";
import { useCount } from "@/shared/api/useCount";
import { useToday } from "@/shared/expiry/useToday";
import type { HiddenNames } from "@/shared/form";
import { grouped } from "@/shared/format/counted";
import { useFigureFilter } from "@/shared/table";
import { isAmong } from "@/shared/table/filters/days";
import { useServerChoices } from "@/shared/table/filters/useFilters";
import { NO_VALUE, type QueryParams, withQuery } from "@/shared/table/paged/pages";
import { type Figure, Hidden } from "@/shared/ui";
import type { Counted, FigureSpec, RecordDefinition } from "./definition";
import type { Listed } from "./fields";

type Cells = Listed & Readonly<Record<string, unknown>>;

/** Return whether a figure counts a row; masked cells are not counted. */
function isCounted({ cell, days, has }: Counted, row: Cells, now: Date): boolean {
  if (row.hidden?.has(cell)) return false;
  const value = String(row[cell] ?? "");
  if (days === undefined) return has?.(value) ?? false;
  const wanted = days(now);
  return wanted.startsWith("!") ? !isAmong(value, wanted.slice(1), "") : isAmong(value, wanted, "");
}

/** Return the figures, with masked ones marked. */
function shownFigures(
  specs: readonly FigureSpec[],
  hidden: HiddenNames,
  countOf: (spec: FigureSpec) => Figure["value"],
): readonly Figure[] {
  return specs.map(({ label, tone, ...spec }) => {
    const isHidden = spec.counts !== undefined && hidden.has(spec.counts.cell);
    const value = spec.fixed ?? (isHidden ? <Hidden /> : countOf({ label, ...spec }));
    return { label, tone, value, filter: isHidden ? undefined : spec.counts?.filter };
  });
}

/** The figures of loaded rows, and whether a figure counts a row, by its filter. */
export function useFigures(specs: readonly FigureSpec[], rows: readonly Listed[], hidden: HiddenNames) {
  const today = useToday();
  return useMemo(() => {
    const passes = (row: Listed, filter: string) => {
      const counts = specs.find((spec) => spec.counts?.filter === filter)?.counts;
      return counts !== undefined && isCounted(counts, row as Cells, today);
    };
    const count = ({ counts }: FigureSpec) =>
      counts ? rows.filter((row) => isCounted(counts, row as Cells, today)).length : rows.length;
    return { figures: shownFigures(specs, hidden, count), passes };
  }, [specs, rows, hidden, today]);
}

const NO_ROWS: readonly Listed[] = [];

/**
 * The figures of a list that is not loaded, counted by the server, and the list's parameters for the chosen figure;
 * undefined while loading.
 */
export function useServerFigures(
  { api, filters }: RecordDefinition,
  specs: readonly FigureSpec[],
  hidden: HiddenNames,
  total: number,
) {
  const today = useToday();
  const wireOf = (cell: string) => filters.find(({ id }) => id === cell)?.wire ?? cell;
  const figures = shownFigures(specs, hidden, ({ counts }) =>
    counts ? <ServerCount path={api.path} wire={wireOf(counts.cell)} counts={counts} today={today} /> : total,
  );
  const { passing: _, ...choice } = useFigureFilter(NO_ROWS, figures);
  const { chosen } = choice;
  const counts = chosen === null ? undefined : specs.find((spec) => spec.counts?.filter === chosen)?.counts;
  const wire = counts && wireOf(counts.cell);
  const answer = useServerChoices(counts?.has && api.path, wire ?? "");
  const narrowing = useMemo((): QueryParams | undefined => {
    if (counts === undefined || wire === undefined) return [];
    if (counts.days) return [[wire, counts.days(today)]];
    const values = answer?.choices.filter(({ value }) => counts.has?.(value));
    // Without a value there would be no filter.
    return values?.length === 0 ? [[wire, NO_VALUE]] : values?.map(({ value }) => [wire, value]);
  }, [counts, wire, answer, today]);
  return { figures, ...choice, narrowing };
}

function ServerCount(props: { path: string; wire: string; counts: Counted; today: Date }) {
  const { path, wire, today } = props;
  const { days, has } = props.counts;
  const counted = useCount(days ? withQuery(path, [[wire, days(today)]]) : null);
  const answer = useServerChoices(has && path, wire);
  const sum = answer?.choices.reduce((before, { value, count }) => before + (has?.(value) ? count : 0), 0);
  const count = days ? counted : sum;
  return count === undefined ? "–" : grouped.format(count);
}
