import { Button } from "@blueprintjs/core";
import { Cross } from "@blueprintjs/icons";
import { useId, useMemo, useRef } from "react";
import { counted, grouped } from "@/shared/format/counted";
import { formatDate } from "@/shared/format/DateText";
import { daysPath } from "../filters";
import type { UsedFilters } from "../useAuditFilters";
import { chosenOf, daysShown, timesOf } from "./calendar";
import styles from "./days.module.css";
import { useBrush } from "./useBrush";
import { useDays } from "./useDays";

interface DayStripProps {
  filters: UsedFilters;
  /** The moment that the screens show. */
  asOf: string | null;
}

/** How much happened on each day, over which a stretch of time is drawn that the trail is narrowed to. */
export function DayStrip({ filters: { values, set }, asOf }: DayStripProps) {
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
        <span>{stretchText(days[first] ?? "", days[last] ?? "")}</span>
        <span className="fl-muted">
          {error !== undefined && !isCurrent
            ? "Days could not be counted"
            : counts &&
              `${counted(sumOf(days.slice(first, last + 1), counts), "change")}${isCutShort ? " so far" : ""}`}
        </span>
      </p>
      <div className={styles.days}>
        {/* The ends are for keys; a pointer draws over the days. */}
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

function stretchText(first: string, last: string): string {
  return first === last ? formatDate(first) : `${formatDate(first)} – ${formatDate(last)}`;
}

function sumOf(days: readonly string[], counts: ReadonlyMap<string, number>): number {
  return days.reduce((sum, day) => sum + (counts.get(day) ?? 0), 0);
}

/** What the bars tell, for those who do not see them. */
function summary(days: readonly string[], counts: ReadonlyMap<string, number>, isCutShort: boolean): string {
  const busy = days.filter((day) => counts.has(day));
  const busiest = busy.reduce<string | undefined>(
    (most, day) => (most === undefined || (counts.get(day) ?? 0) > (counts.get(most) ?? 0) ? day : most),
    undefined,
  );
  if (busiest === undefined) return `No changes on any of ${days.length} days.`;
  const most = `most on ${formatDate(busiest)}: ${grouped.format(counts.get(busiest) ?? 0)}`;
  const all = `${counted(sumOf(days, counts), "change")} on ${busy.length} of ${days.length} days, ${most}.`;
  return isCutShort ? `${all} Earlier days are not counted yet.` : all;
}
