import { type KeyboardEvent, useEffect, useRef } from "react";
import { type DayButtonProps, DayPicker } from "react-day-picker";
import "react-day-picker/style.css";
import { toLocal } from "@/shared/asOf/asOf";
import { formatDate } from "@/shared/format/DateText";
import styles from "./form.module.css";

interface CalendarProps {
  /** The chosen day (`YYYY-MM-DD`), or empty. */
  value: string;
  onChoose: (day: string) => void;
  onClose: () => void;
}

const TITLE = new Intl.DateTimeFormat("en-IN", { month: "long", year: "numeric" });

/** A month: arrows move by a day or week, Page Up and Page Down by a month, Enter chooses, Escape closes. */
export default function Calendar({ value, onChoose, onClose }: CalendarProps) {
  const chosen = value === "" ? undefined : new Date(`${value}T00:00`);
  const onKeyDown = (event: KeyboardEvent) => {
    event.stopPropagation();
    if (event.key !== "Escape" && event.key !== "Tab") return;
    event.preventDefault();
    onClose();
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the keys are those of the days
    <div className={styles.calendar} onKeyDown={onKeyDown}>
      <DayPicker
        mode="single"
        required
        autoFocus
        showOutsideDays
        fixedWeeks
        weekStartsOn={1}
        components={{ DayButton }}
        selected={chosen}
        defaultMonth={chosen ?? new Date()}
        onSelect={(day) => onChoose(toLocal(day).date)}
        formatters={{ formatCaption: (month) => TITLE.format(month) }}
        labels={{ labelDayButton: (day) => formatDate(toLocal(day).date) }}
      />
    </div>
  );
}

/** A day, whose focus does not scroll the page: at first the calendar is not where it will be. */
function DayButton({ day: _, modifiers, ...button }: DayButtonProps) {
  const element = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    if (modifiers.focused) element.current?.focus({ preventScroll: true });
  }, [modifiers.focused]);
  return <button type="button" ref={element} {...button} />;
}
