/*
 * Time on the board: the days shown, their columns, and positions within them. Instants are milliseconds since the
 * epoch; days are those of the browser's time zone, with 23 to 25 hours. Positions are proportional to elapsed time.
 */

/** Times from `start` until before `end`, which is infinite for an open end. */
export interface Span {
  start: number;
  end: number;
}

export const LENGTHS = ["day", "week", "month"] as const;
export type Length = (typeof LENGTHS)[number];

const MINUTE = 60_000;
/** What a drag or a key moves by, in minutes. */
const STEPS: Readonly<Record<Length, number>> = { day: 15, week: 60, month: 360 };
const HOURS_OF_A_COLUMN = 2;

/** The time that the board shows. */
export interface Frame extends Span {
  length: Length;
  /** Days; within a single day, hours. */
  columns: readonly Span[];
  /** In milliseconds. */
  step: number;
}

/** Return the frame from the start of a day; another day if `by` frames later or earlier. */
export function frameOf(day: number, length: Length, by = 0): Frame {
  const start = later(day, length, by);
  const end = later(start, length, 1);
  const columns: Span[] = [];
  for (let at = start; at < end; ) {
    const next = Math.min(end, length === "day" ? hoursLater(at) : daysLater(at, 1));
    columns.push({ start: at, end: next });
    at = next;
  }
  return { start, end, length, columns, step: STEPS[length] * MINUTE };
}

function later(instant: number, length: Length, by: number): number {
  if (length !== "month") return daysLater(instant, length === "week" ? 7 * by : by);
  const at = new Date(instant);
  return new Date(at.getFullYear(), at.getMonth() + by, at.getDate()).getTime();
}

/** Return the start of a day, counted from the day of an instant. */
export function daysLater(instant: number, days: number): number {
  const at = new Date(instant);
  return new Date(at.getFullYear(), at.getMonth(), at.getDate() + days).getTime();
}

/** Return the next even hour by the clock. */
function hoursLater(instant: number): number {
  const at = new Date(instant);
  const hour = at.getHours() - (at.getHours() % HOURS_OF_A_COLUMN) + HOURS_OF_A_COLUMN;
  return new Date(at.getFullYear(), at.getMonth(), at.getDate(), hour).getTime();
}

/** Return the position of an instant in a frame, from 0 to 1. */
export function fractionAt(instant: number, { start, end }: Span): number {
  return Math.min(1, Math.max(0, (instant - start) / (end - start)));
}

/** Return the instant at a position, in whole milliseconds. */
export function instantAt(fraction: number, { start, end }: Span): number {
  return Math.round(start + Math.min(1, Math.max(0, fraction)) * (end - start));
}

/** Round an instant to steps of the clock since midnight, or down to one. */
export function snapped(instant: number, step: number, round = Math.round): number {
  const at = new Date(instant);
  const minutes =
    at.getHours() * 60 + at.getMinutes() + (at.getSeconds() * 1000 + at.getMilliseconds()) / MINUTE;
  const steps = step / MINUTE;
  return instant + Math.round((round(minutes / steps) * steps - minutes) * MINUTE);
}

/** A part of a row: an interval, or free time within one column. */
export interface Cell<Bar> extends Span {
  bar: Bar | undefined;
}

/** Return a row's intervals and the free time between them, cut at the frame's ends. */
export function cellsOf<Bar extends Span>(bars: readonly Bar[], frame: Frame): readonly Cell<Bar>[] {
  const cells: Cell<Bar>[] = [];
  const addFree = (from: number, until: number) => {
    for (const column of frame.columns) {
      const [start, end] = [Math.max(from, column.start), Math.min(until, column.end)];
      if (start < end) cells.push({ start, end, bar: undefined });
    }
  };
  let free = frame.start;
  for (const bar of bars.toSorted((one, other) => one.start - other.start)) {
    const start = Math.max(bar.start, free);
    const end = Math.min(bar.end, frame.end);
    if (start >= end) continue;
    addFree(free, start);
    cells.push({ start, end, bar });
    free = end;
  }
  addFree(free, frame.end);
  return cells;
}

/** Return the index of the cell at an instant; -1 before the first one. */
export function cellAt(cells: readonly Span[], instant: number): number {
  return cells.findLastIndex(({ start }) => start <= instant);
}

/** Return the free time around a free cell, within the frame. */
export function gapAt<Bar>(cells: readonly Cell<Bar>[], index: number): Span {
  const before = cells.slice(0, index).findLast(({ bar }) => bar !== undefined);
  const after = cells.slice(index).find(({ bar }) => bar !== undefined);
  return { start: before?.end ?? cells[0]?.start ?? 0, end: after?.start ?? cells.at(-1)?.end ?? 0 };
}

/** What a drag changes. */
export type Grip = "new" | "whole" | "start" | "end";

/** Return a span after a drag from one instant to another; one step long at least. */
export function dragged(grip: Grip, span: Span, from: number, to: number, step: number): Span {
  if (grip === "new") {
    const start = snapped(Math.min(from, to), step, Math.floor);
    return { start, end: Math.max(start + step, snapped(Math.max(from, to), step)) };
  }
  // The difference of two steps of the clock, so that moving to another day keeps the time of day.
  const by = snapped(to, step) - snapped(from, step);
  const { start, end } = span;
  if (grip === "whole") return { start: start + by, end: end + by };
  if (grip === "start") return { start: Math.min(start + by, end - step), end };
  // The pointer holds an open end at the frame's edge.
  const held = Number.isFinite(end) ? end + by : snapped(to, step);
  return { start, end: Math.max(held, start + step) };
}
