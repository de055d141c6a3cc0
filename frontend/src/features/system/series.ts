import { total } from "@/shared/format/total";
import { figure, milliseconds } from "./format";
import type { Samples } from "./systemState";

type Values = readonly (number | null)[];

/** A measure shown for the last day. */
export interface Series {
  name: "commands" | "reads" | "p99_ms" | "refusals";
  title: string;
  /** Formats a value. */
  format: (value: number) => string;
  /** Whether values are counts per step, which can be added; of other values the largest counts. */
  isCount: boolean;
  isProblem?: boolean;
}

export const SERIES: readonly Series[] = [
  { name: "commands", title: "Commands", format: figure, isCount: true },
  { name: "reads", title: "Reads", format: figure, isCount: true },
  { name: "p99_ms", title: "Response time (p99)", format: milliseconds, isCount: false },
  { name: "refusals", title: "Rejected requests", format: figure, isCount: true, isProblem: true },
];

export function known(values: Values): readonly number[] {
  return values.filter((value) => value !== null);
}

/** All values combined; undefined if none is known. */
export function combined(values: Values, { isCount }: Series): number | undefined {
  const measured = known(values);
  if (measured.length === 0) return undefined;
  return isCount ? total(measured) : Math.max(...measured);
}

/**
 * SVG paths of the line through values and of the area below it, in a box of one unit per step and of height 1.
 * Missing samples interrupt them.
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

/** The beginning of a step, in local time. */
export function timeOf({ from, step_seconds }: Samples, index: number): string {
  return time.format(Date.parse(from) + index * step_seconds * 1000);
}

/** Text alternative of a chart. */
export function summary(samples: Samples, series: Series): string {
  const values = samples[series.name];
  const measured = known(values);
  const last = measured.at(-1);
  if (last === undefined) return `${series.title}: no samples in the last 24 hours.`;
  const top = Math.max(...measured);
  const step = series.isCount ? ` in ${samples.step_seconds / 60} minutes` : "";
  const most = `maximum ${series.format(top)}${step} at ${timeOf(samples, values.indexOf(top))}`;
  const all = series.isCount ? `, ${series.format(total(measured))} in total` : "";
  return `${series.title} in the last 24 hours: last ${series.format(last)}${step}, ${most}${all}.`;
}

interface Hour {
  begin: string;
  values: Readonly<Record<Series["name"], number | undefined>>;
}

/** Samples by hour, latest first, without empty hours. */
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
        combined(samples[series.name].slice(start, start + steps), series),
      ]);
      return { begin: timeOf(samples, start), values: Object.fromEntries(values) as Hour["values"] };
    })
    .filter(({ values }) => Object.values(values).some((value) => value !== undefined))
    .reverse();
}
