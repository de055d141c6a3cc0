import type { StatusTone } from "@/shared/ui";
import type { Stop } from "./trip";

export interface Progress {
  /** In km, by road. */
  total: number;
  covered: number;
  remaining: number;
  /** The last stop that the vehicle has left; undefined before it sets out. */
  last: Stop | undefined;
  /** Where it is going now; undefined when it is there. */
  next: Stop | undefined;
}

/** How far a trip has come, by its stops. */
export function tripProgress(stops: readonly Stop[]): Progress {
  const total = stops.at(-1)?.distance ?? 0;
  const last = stops.findLast(({ actual }) => actual !== undefined);
  const next = stops[last === undefined ? 0 : stops.indexOf(last) + 1];
  const covered = last?.distance ?? 0;
  return { total, covered, remaining: total - covered, last, next };
}

/** Up to half an hour, in minutes, is not worth a warning. */
const TOLERATED = 30;

/** How a stop compares with the plan, in words and in colour. */
export function punctuality(stop: Stop): { label: string; tone: StatusTone } {
  const minutes = minutesLate(stop);
  if (minutes === undefined) return { label: "Ahead", tone: "neutral" };
  return { label: latenessText(minutes), tone: minutes > TOLERATED ? "warning" : "success" };
}

/** How long after plan a stop was left, in whole minutes; negative if before, undefined while it is ahead. */
export function minutesLate({ planned, actual }: Stop): number | undefined {
  return actual === undefined ? undefined : Math.round((Date.parse(actual) - Date.parse(planned)) / 60_000);
}

/** `1h 10m late`, `5m early`, `On time`. */
export function latenessText(minutes: number): string {
  if (minutes === 0) return "On time";
  const amount = Math.abs(minutes);
  const hours = Math.floor(amount / 60);
  return `${hours > 0 ? `${hours}h ` : ""}${amount % 60}m ${minutes > 0 ? "late" : "early"}`;
}
