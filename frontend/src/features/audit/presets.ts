import { toLocal } from "@/shared/asOf/localTime";
import type { AuditFilters } from "./filters";
import { startOf } from "./localTimes";

/** A stretch of days that is often asked for. */
export interface Preset {
  text: string;
  range: Pick<AuditFilters, "from" | "to">;
}

/** The days that are chosen at once, by the reader's calendar. */
export function presetsAt(now: Date): readonly Preset[] {
  const [year, month, day] = [now.getFullYear(), now.getMonth(), now.getDate()];
  return [
    { text: "Today", range: { from: midnight(year, month, day), to: "" } },
    { text: "7 days", range: { from: midnight(year, month, day - 6), to: "" } },
    { text: "Last month", range: { from: midnight(year, month - 1, 1), to: midnight(year, month, 1) } },
  ];
}

function midnight(year: number, month: number, day: number): string {
  return startOf(`${toLocal(new Date(year, month, day)).date}T00:00`);
}
