import { Button } from "@blueprintjs/core";
import { Cross } from "@blueprintjs/icons";
import { type KeyboardEvent, type PointerEvent, useEffect, useId, useMemo, useRef, useState } from "react";
import { apiClient } from "@/shared/api/client";
import { useApiQuery } from "@/shared/api/useApiQuery";
import type { Wire } from "@/shared/api/wireTypes.gen";
import { microseconds, toLocal } from "@/shared/asOf/asOf";
import { counted, grouped } from "@/shared/format/counted";
import { formatDate } from "@/shared/format/DateText";
import { type AuditFilters, daysPath, type UsedFilters } from "../filters";
import { startOf } from "../localTimes";
import styles from "./days.module.css";

/** Bars with the number of changes per day; drawing over them filters the trail by a period. */
export function DayStrip({ filters: { values, set }, asOf }: { filters: UsedFilters; asOf: string | null }) {
  const today = new Date(asOf ?? Date.now()).toDateString();
  const days = useMemo(() => daysShown(values, new Date(today)), [values, today]);
  const { counts, isCurrent, isCutShort, error } = useDays(daysPath(values, asOf, days));
  const chosen = chosenOf(values, days);
  const { shown, surface, keysOf } = useBrush(days.length, chosen, (stretch) => set(timesOf(stretch, days)));
  const [first, last] = shown ?? [0, days.length - 1];
  const most = Math.max(1, ...days.map((day) => counts?.get(day) ?? 0));
  const start = useRef<HTMLDivElement>(null);
  const summaryId = useId();

  const end = (which: "first" | "last", place: number, other: readonly [number, number]) => (
    <div
      {...keysOf(which)}
      ref={which === "first" ? start : undefined}
      className={styles.end}
      style={{ insetInlineStart: `${((which === "first" ? place : place + 1) / days.length) * 100}%` }}
      role="slider"
      tabIndex={0}
      aria-label={which === "first" ? "First day" : "Last day"}
      aria-describedby={summaryId}
      aria-valuemin={other[0]}
      aria-valuemax={other[1]}
      aria-valuenow={place}
      aria-valuetext={formatDate(days[place] ?? "")}
    />
  );

  return (
    <section className={`fl-card ${styles.strip}`} aria-label="Changes per day" aria-busy={!isCurrent}>
      <p className={styles.said}>
        <span>
          {formatDate(days[first] ?? "")}
          {first < last && ` – ${formatDate(days[last] ?? "")}`}
        </span>
        <span className="fl-muted">
          {error !== undefined && !isCurrent
            ? "Could not load the daily counts"
            : counts &&
              `${counted(sumOf(days.slice(first, last + 1), counts), "change")}${isCutShort ? " so far" : ""}`}
        </span>
      </p>
      <div className={styles.days}>
        {/* The ends are for the keyboard; the pointer draws over the days. */}
        <div {...surface} className={styles.bars} data-waiting={!isCurrent || undefined} aria-hidden>
          {days.map((day, place) => {
            const count = counts?.get(day) ?? 0;
            return (
              <span
                key={day}
                className={styles.day}
                title={`${formatDate(day)}: ${counted(count, "change")}`}
                data-outside={(shown && (place < first || place > last)) || undefined}
              >
                {count > 0 && <span style={{ height: `${Math.max(8, (count / most) * 100)}%` }} />}
              </span>
            );
          })}
        </div>
        {end("first", first, [0, last])}
        {end("last", last, [first, days.length - 1])}
      </div>
      <Button
        variant="minimal"
        icon={<Cross />}
        aria-label="All days"
        title="All days"
        disabled={chosen === undefined}
        onClick={() => {
          start.current?.focus();
          set({ from: "", to: "" });
        }}
      />
      <p id={summaryId} className="fl-visually-hidden">
        {counts && summary(days, counts, isCutShort)}
      </p>
    </section>
  );
}

function sumOf(days: readonly string[], counts: ReadonlyMap<string, number>): number {
  return days.reduce((sum, day) => sum + (counts.get(day) ?? 0), 0);
}

/** The text alternative of the bars. */
function summary(days: readonly string[], counts: ReadonlyMap<string, number>, isCutShort: boolean): string {
  const busy = days.filter((day) => counts.has(day));
  const [busiest] = busy.toSorted((one, other) => (counts.get(other) ?? 0) - (counts.get(one) ?? 0));
  if (busiest === undefined) return `No changes on any of ${days.length} days.`;
  const most = `most on ${formatDate(busiest)}: ${grouped.format(counts.get(busiest) ?? 0)}`;
  const all = `${counted(sumOf(days, counts), "change")} on ${busy.length} of ${days.length} days, ${most}.`;
  return isCutShort ? `${all} Earlier days are not counted yet.` : all;
}

/** Distance in pixels within which the pointer grabs an end of the period. */
const GRIP = 10;
const STEPS: Readonly<Record<string, number>> = {
  ArrowLeft: -1,
  ArrowDown: -1,
  ArrowRight: 1,
  ArrowUp: 1,
  PageDown: -30,
  PageUp: 30,
  Home: Number.NEGATIVE_INFINITY,
  End: Number.POSITIVE_INFINITY,
};
const LARGER = 7;

/**
 * Chooses a period by drawing over the days, or by keys at either end. The choice is applied when the pointer or the key
 * is released, so that intermediate periods are not requested.
 */
function useBrush(count: number, chosen: Stretch | undefined, onChoose: (stretch: Stretch) => void) {
  const [draft, setDraft] = useState<Stretch>();
  /** The end that stays while the pointer moves the other. */
  const anchor = useRef<number>(null);
  const shown = draft ?? chosen;
  const [first, last] = shown ?? [0, count - 1];

  const clamped = (place: number) => Math.min(count - 1, Math.max(0, place));
  const placeOf = (event: PointerEvent) => {
    const { left, width } = event.currentTarget.getBoundingClientRect();
    return clamped(Math.floor(((event.clientX - left) / Math.max(1, width)) * count));
  };
  const stretched = (place: number): Stretch => {
    const from = anchor.current ?? place;
    return [Math.min(from, place), Math.max(from, place)];
  };
  const choose = () => {
    if (draft) onChoose(draft);
    setDraft(undefined);
  };

  return {
    shown,
    surface: {
      onPointerDown: (event: PointerEvent) => {
        if (event.button !== 0) return;
        event.currentTarget.setPointerCapture(event.pointerId);
        const { left, width } = event.currentTarget.getBoundingClientRect();
        const isNear = (end: number) => Math.abs(event.clientX - left - (end / count) * width) <= GRIP;
        // If both ends are near, a new period begins.
        const [atFirst, atLast] = [chosen && isNear(first), chosen && isNear(last + 1)];
        if (atFirst !== atLast) anchor.current = atFirst ? last : first;
        else anchor.current = placeOf(event);
        setDraft(stretched(placeOf(event)));
      },
      onPointerMove: (event: PointerEvent) => {
        if (anchor.current !== null) setDraft(stretched(placeOf(event)));
      },
      onPointerUp: () => {
        anchor.current = null;
        choose();
      },
      onPointerCancel: () => {
        anchor.current = null;
        setDraft(undefined);
      },
    },
    keysOf: (end: "first" | "last") => ({
      onKeyDown: (event: KeyboardEvent) => {
        const step = STEPS[event.key];
        if (step === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
        event.preventDefault();
        const by = event.shiftKey && Math.abs(step) === 1 ? step * LARGER : step;
        const place = clamped((end === "first" ? first : last) + by);
        setDraft(end === "first" ? [Math.min(place, last), last] : [first, Math.max(place, first)]);
      },
      onKeyUp: choose,
      onBlur: choose,
    }),
  };
}

type Days = Wire<"Days">;

/** The maximum number of parts to count; earlier days are omitted, and the strip says so. */
const PARTS_AT_ONCE = 4;

/**
 * The number of changes by day, loaded in parts if counting takes long. Until the response, `counts` are of the former
 * path and `isCurrent` is false; `isCutShort` says that the first days are not counted.
 */
function useDays(path: string) {
  const { data: newest, error } = useApiQuery<Days>(path);
  const [shown, setShown] = useState<{
    path: string;
    counts: ReadonlyMap<string, number>;
    isWhole: boolean;
  }>();

  useEffect(() => {
    if (newest === undefined) return;
    const controller = new AbortController();
    const counts = new Map<string, number>();
    const add = ({ content, next }: Days) => {
      for (const { day, changes } of content) counts.set(day, (counts.get(day) ?? 0) + changes);
      setShown({ path, counts: new Map(counts), isWhole: next === null });
      return next;
    };
    void (async () => {
      let next = add(newest);
      for (let parts = 1; next !== null && parts < PARTS_AT_ONCE; parts += 1) {
        const { data } = await apiClient.get<Days>(`${path}&cursor=${next}`, { signal: controller.signal });
        if (controller.signal.aborted) return;
        next = add(data);
      }
    })().catch(() => undefined); // Keeps the counts so far, marked incomplete.
    return () => controller.abort();
  }, [newest, path]);

  return {
    counts: shown?.counts,
    isCurrent: shown?.path === path,
    isCutShort: shown?.isWhole === false,
    error,
  };
}

/* Days are `YYYY-MM-DD` in the browser's time zone. */

/** The number of days shown, unless the chosen period begins earlier. */
const USUAL = 91;
/** The API's limit. */
const MOST = 400;
const DAY = 24 * 60 * 60 * 1000;

/** Indexes of the first and the last chosen day. */
type Stretch = readonly [first: number, last: number];

/** The days shown: up to the day in view, and back to the start of the chosen period within the limit. */
export function daysShown({ from, to }: AuditFilters, now: Date): readonly string[] {
  const today = toLocal(now).date;
  const start = dayAt(from);
  const end = dayAt(to, -1);
  // A period that begins too early to reach today is shown without today.
  const isFar = start !== undefined && between(start, today) >= MOST;
  const [last = today] = isFar ? [today, end ?? today, moved(start, MOST - 1)].sort() : [];
  const needed = start === undefined ? USUAL : Math.max(USUAL, between(start, last) + 1);
  const count = Math.min(MOST, needed);
  return Array.from({ length: count }, (_, index) => moved(last, index + 1 - count));
}

/** The days that the filters choose; undefined without a period. */
export function chosenOf({ from, to }: AuditFilters, days: readonly string[]): Stretch | undefined {
  if (from === "" && to === "") return undefined;
  const last = days.length - 1;
  const place = (day: string | undefined, otherwise: number) =>
    day === undefined ? otherwise : Math.min(last, Math.max(0, between(days[0] ?? day, day)));
  const first = place(dayAt(from), 0);
  return [first, Math.max(first, place(dayAt(to, -1), last))];
}

/** The filters for a period; one that ends with the last day shown is open-ended. */
export function timesOf([first, last]: Stretch, days: readonly string[]): Pick<AuditFilters, "from" | "to"> {
  const midnight = (day: string | undefined) => (day === undefined ? "" : startOf(`${day}T00:00`));
  return {
    from: midnight(days[first]),
    to: last >= days.length - 1 ? "" : midnight(days[last + 1]),
  };
}

/** @param microsecond -1 for an exclusive end. */
function dayAt(instant: string, microsecond = 0): string | undefined {
  const at = (microseconds(instant) + microsecond) / 1000;
  return Number.isNaN(at) ? undefined : toLocal(new Date(at)).date;
}

function moved(day: string, by: number): string {
  return new Date(Date.parse(day) + by * DAY).toISOString().slice(0, 10);
}

function between(day: string, later: string): number {
  return Math.round((Date.parse(later) - Date.parse(day)) / DAY);
}
