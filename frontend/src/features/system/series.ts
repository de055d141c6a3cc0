import type { Samples } from "./wire";
import { figure, milliseconds } from "./words";

export type Values = readonly (number | null)[];

/** How values in one stretch of time become one. */
type Together = (values: readonly number[]) => number;
const sum: Together = (values) => values.reduce((one, other) => one + other, 0);
const largest: Together = (values) => Math.max(...values);

/** Something of which the last day is shown. */
export interface Series {
  name: "commands" | "reads" | "p99_ms" | "refusals";
  title: string;
  /** A value in words. */
  told: (value: number) => string;
  together: Together;
  /** Counts are added up, and each is of a step. */
  isCount: boolean;
  isBad?: boolean;
}

export const SERIES: readonly Series[] = [
  { name: "commands", title: "Commands", told: figure, together: sum, isCount: true },
  { name: "reads", title: "Reads", told: figure, together: sum, isCount: true },
  {
    name: "p99_ms",
    title: "Time to answer, 99 of 100",
    told: milliseconds,
    together: largest,
    isCount: false,
  },
  { name: "refusals", title: "Refusals", told: figure, together: sum, isCount: true, isBad: true },
];

/** What is known among values. */
export function known(values: Values): readonly number[] {
  return values.filter((value) => value !== null);
}

/** All values as one; undefined where none is known. */
export function whole(values: Values, { together }: Series): number | undefined {
  const there = known(values);
  return there.length === 0 ? undefined : together(there);
}

/**
 * The line through values and the area below it, as paths in a box of one unit for each step and of height 1;
 * where nothing was sampled, they are interrupted.
 */
export function pathsOf(values: Values, top: number): { line: string; area: string } {
  let line = "";
  let area = "";
  let begin: number | undefined;
  values.forEach((value, index) => {
    if (value === null) return;
    const y = 1 - (top === 0 ? 0 : value / top);
    const at = `${index} ${y.toFixed(4)}`;
    begin ??= index;
    line += begin === index ? `M${at}h0` : `L${at}`;
    area += begin === index ? `M${index} 1L${at}` : `L${at}`;
    if (index + 1 === values.length || values[index + 1] === null) {
      area += `L${index} 1Z`;
      begin = undefined;
    }
  });
  return { line, area };
}

const time = new Intl.DateTimeFormat("en-IN", { timeStyle: "short" });

/** When a step begins, by the reader's clock. */
export function timeOf({ from, step_seconds }: Samples, index: number): string {
  return time.format(Date.parse(from) + index * step_seconds * 1000);
}

/** What a chart shows, for whoever does not see it. */
export function summary(samples: Samples, series: Series): string {
  const values = samples[series.name];
  const there = known(values);
  const last = there.at(-1);
  if (last === undefined) return `${series.title}: nothing was sampled in the last 24 hours.`;
  const top = Math.max(...there);
  const step = series.isCount ? ` in ${samples.step_seconds / 60} minutes` : "";
  const most = `most ${series.told(top)}${step} at ${timeOf(samples, values.indexOf(top))}`;
  const all = series.isCount ? `, ${series.told(sum(there))} in all` : "";
  return `${series.title} in the last 24 hours: last ${series.told(last)}${step}, ${most}${all}.`;
}

/** One row of the table that says what the charts show. */
export interface Hour {
  begin: string;
  values: Readonly<Record<Series["name"], number | undefined>>;
}

/** The samples by the hour, the latest first; hours of which nothing is known are left out. */
export function hoursOf(samples: Samples): readonly Hour[] {
  const steps = Math.max(1, Math.round(3600 / samples.step_seconds));
  const starts = Array.from(
    { length: Math.ceil(samples.commands.length / steps) },
    (_, hour) => hour * steps,
  );
  return starts
    .map((start) => {
      const values = SERIES.map((series) => [
        series.name,
        whole(samples[series.name].slice(start, start + steps), series),
      ]);
      return { begin: timeOf(samples, start), values: Object.fromEntries(values) as Hour["values"] };
    })
    .filter(({ values }) => Object.values(values).some((value) => value !== undefined))
    .reverse();
}
