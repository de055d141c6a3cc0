import { useMemo } from "react";
import { useToday } from "@/shared/expiry/useToday";
import type { HiddenNames } from "@/shared/form";
import { isAmong } from "@/shared/table/filters/days";
import { type Figure, Hidden } from "@/shared/ui";
import type { Listed } from "./fields";

/** What a figure counts: rows of which one cell says something; also what it narrows their list to. */
interface Counted {
  filter: string;
  cell: string;
  /** The days that it is among: `FROM..TO`, of which one may be missing; after `!`, that it is not. */
  days?: (now: Date) => string;
  /** Otherwise which of its values count. */
  has?: (value: string) => boolean;
}

/** A figure above a list of records; one that counts nothing in particular tells how many there are. */
export interface FigureSpec extends Pick<Figure, "label" | "tone"> {
  counts?: Counted;
  /** Not counted: it is always this. */
  fixed?: number;
}

type Cells = Listed & Readonly<Record<string, unknown>>;

/** Whether a figure counts a row, which it does not where its cell is hidden. */
function isCounted({ cell, days, has }: Counted, row: Cells, now: Date): boolean {
  if (row.hidden?.has(cell)) return false;
  const value = String(row[cell] ?? "");
  if (days === undefined) return has?.(value) ?? false;
  const wanted = days(now);
  return wanted.startsWith("!") ? !isAmong(value, wanted.slice(1), "") : isAmong(value, wanted, "");
}

/** The figures as they are shown: each with what it counts, as far as this reader may know that. */
export function shownFigures(
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

/** The figures of rows at hand, and whether one counts a row, by its filter. */
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
