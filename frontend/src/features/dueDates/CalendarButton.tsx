import { Button } from "@blueprintjs/core";
import { Calendar } from "@blueprintjs/icons";
import { useState } from "react";
import { dayIn } from "@/shared/expiry/expiry";
import { saveFile } from "@/shared/table/csv";
import { toast } from "@/shared/toast/toastStore";
import type { DueDate } from "./documents";

/** Downloads the due dates as a calendar file. */
export function CalendarButton({ dates }: { dates: readonly DueDate[] }) {
  const [isLoading, setLoading] = useState(false);
  const save = async () => {
    setLoading(true);
    try {
      const { calendarOf } = await import("./calendar");
      const now = new Date();
      const content = calendarOf(dates, window.location.origin, now);
      saveFile(`due-dates-${dayIn(0, now)}.ics`, content, "text/calendar;charset=utf-8");
    } catch {
      // The calendar's code could not be loaded.
      const message = "Failed to create the calendar. Please try again.";
      toast.show({ title: "Error", message, intent: "danger" });
    } finally {
      setLoading(false);
    }
  };
  return (
    <Button
      icon={<Calendar />}
      text="Calendar (.ics)"
      disabled={dates.length === 0}
      loading={isLoading}
      onClick={() => void save()}
    />
  );
}
