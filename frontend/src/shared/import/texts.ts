import { counted, grouped } from "@/shared/format/counted";
import type { Figure, StatusTone } from "@/shared/ui";
import type { Outcome } from "./execution";
import type { Results } from "./results";

/** `1 row`, `1,000 rows`. */
export function rows(count: number): string {
  return counted(count, "row");
}

export const OUTCOMES: Readonly<Record<Outcome, { label: string; tone: StatusTone }>> = {
  new: { label: "New", tone: "success" },
  changed: { label: "Changed", tone: "info" },
  unchanged: { label: "Unchanged", tone: "neutral" },
  refused: { label: "Refused", tone: "danger" },
  duplicate: { label: "Duplicate", tone: "warning" },
  unconfirmed: { label: "Unconfirmed", tone: "warning" },
};

/** Return the number of rows per outcome, each of which filters the list. */
export function figuresOf({ counts }: Results): readonly Figure[] {
  return (Object.keys(OUTCOMES) as Outcome[])
    .filter((outcome) => outcome !== "unconfirmed" || counts.unconfirmed > 0)
    .map((outcome) => ({ ...OUTCOMES[outcome], value: counts[outcome], filter: outcome }));
}

/** Summarise an import: `9,000 rows imported, 12 refused`. */
export function outcomeText({ counts }: Results): string {
  const others = (["refused", "duplicate", "unconfirmed"] as const)
    .filter((outcome) => counts[outcome] > 0)
    .map((outcome) => `, ${grouped.format(counts[outcome])} ${outcome}`);
  return `${rows(counts.new + counts.changed)} imported${others.join("")}`;
}

/** Format a duration: `about 2 min`. */
export function duration(seconds: number): string {
  if (seconds < 60) return `about ${Math.max(1, Math.round(seconds))} s`;
  return `about ${Math.round(seconds / 60)} min`;
}
