import { Button } from "@blueprintjs/core";
import { ChevronLeft, ChevronRight } from "@blueprintjs/icons";
import { type KeyboardEvent, useId, useLayoutEffect, useRef, useState } from "react";
import { dayIn } from "@/shared/expiry/expiry";
import { formatDate } from "@/shared/format/DateText";
import styles from "./form.module.css";

interface CalendarProps {
  /** The chosen day (`YYYY-MM-DD`), or empty. */
  value: string;
  onChoose: (day: string) => void;
  onClose: () => void;
}

const TITLE = new Intl.DateTimeFormat("en-IN", { month: "long", year: "numeric", timeZone: "UTC" });
const WEEKDAYS = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"];

/** A month: arrows move by a day or week, Page Up and Page Down by a month, Enter chooses, Escape closes. */
export default function Calendar({ value, onChoose, onClose }: CalendarProps) {
  const [active, setActive] = useState(() => value || dayIn(0, new Date()));
  const titleId = useId();
  const days = useRef<HTMLTableSectionElement>(null);
  useLayoutEffect(() => {
    days.current?.querySelector<HTMLElement>(`[data-day="${active}"]`)?.focus();
  }, [active]);

  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === "Escape" || event.key === "Tab") onClose();
    else {
      const next = movedBy(event.key, active);
      if (next === undefined) return;
      setActive(next);
    }
    event.preventDefault();
    event.stopPropagation();
  };

  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset needs a legend
    <div className={styles.calendar} role="group" aria-labelledby={titleId} onKeyDown={onKeyDown}>
      <div className="fl-flex fl-middle fl-between">
        <Button
          variant="minimal"
          tabIndex={-1}
          aria-label="Previous month"
          icon={<ChevronLeft />}
          onClick={() => setActive(inMonths(active, -1))}
        />
        <strong id={titleId} aria-live="polite">
          {TITLE.format(Date.parse(active))}
        </strong>
        <Button
          variant="minimal"
          tabIndex={-1}
          aria-label="Next month"
          icon={<ChevronRight />}
          onClick={() => setActive(inMonths(active, 1))}
        />
      </div>
      <table>
        <thead>
          <tr>
            {WEEKDAYS.map((weekday) => (
              <th key={weekday} scope="col" abbr={weekday}>
                {weekday.slice(0, 2)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody ref={days}>
          {weeksOf(active).map((week) => (
            <tr key={week[0]}>
              {week.map((day) => (
                <td key={day}>
                  <button
                    type="button"
                    data-day={day}
                    data-outside={day.slice(0, 7) !== active.slice(0, 7) || undefined}
                    aria-label={formatDate(day)}
                    aria-pressed={day === value}
                    tabIndex={day === active ? 0 : -1}
                    onClick={() => onChoose(day)}
                  >
                    {Number(day.slice(8))}
                  </button>
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

const DAY = 86_400_000;
const inDays = (day: string, days: number) =>
  new Date(Date.parse(day) + days * DAY).toISOString().slice(0, 10);
/** Monday is 0. */
const weekday = (day: string) => (new Date(day).getUTCDay() + 6) % 7;

/** Return the same day in another month, or that month's last day. */
function inMonths(day: string, months: number): string {
  const [year = 0, month = 0, date = 0] = day.split("-").map(Number);
  const last = new Date(Date.UTC(year, month + months, 0));
  return new Date(last.setUTCDate(Math.min(date, last.getUTCDate()))).toISOString().slice(0, 10);
}

function movedBy(key: string, day: string): string | undefined {
  const days = {
    ArrowLeft: -1,
    ArrowRight: 1,
    ArrowUp: -7,
    ArrowDown: 7,
    Home: -weekday(day),
    End: 6 - weekday(day),
  };
  if (key in days) return inDays(day, days[key as keyof typeof days]);
  if (key === "PageUp") return inMonths(day, -1);
  return key === "PageDown" ? inMonths(day, 1) : undefined;
}

/** Return six weeks from the Monday on or before the month's first day. */
function weeksOf(day: string): string[][] {
  const first = `${day.slice(0, 8)}01`;
  const monday = inDays(first, -weekday(first));
  return Array.from({ length: 6 }, (_, week) =>
    Array.from({ length: 7 }, (_, index) => inDays(monday, week * 7 + index)),
  );
}
