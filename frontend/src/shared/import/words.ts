import type { Figure, StatusTone } from "@/shared/ui";
import type { Outcome } from "./carryOut";
import type { Results } from "./results";

export const grouped = new Intl.NumberFormat("en-IN");

/** `1 row`, `1,000 rows`. */
export function rows(count: number): string {
  return `${grouped.format(count)} ${count === 1 ? "row" : "rows"}`;
}

export const OUTCOMES: Readonly<Record<Outcome, { label: string; figure: string; tone: StatusTone }>> = {
  new: { label: "New", figure: "New", tone: "success" },
  changed: { label: "Changed", figure: "Changed", tone: "info" },
  unchanged: { label: "Unchanged", figure: "Unchanged", tone: "neutral" },
  refused: { label: "Refused", figure: "Refused", tone: "danger" },
  duplicate: { label: "Duplicate", figure: "Duplicates", tone: "warning" },
  unconfirmed: { label: "Unconfirmed", figure: "Unconfirmed", tone: "warning" },
};

/** How many rows have come to what; each narrows the list below to them. */
export function figuresOf({ counts }: Results): readonly Figure[] {
  return (Object.keys(OUTCOMES) as Outcome[])
    .filter((outcome) => outcome !== "unconfirmed" || counts.unconfirmed > 0)
    .map((outcome) => {
      const { figure, tone } = OUTCOMES[outcome];
      return { label: figure, value: counts[outcome], tone, filter: outcome };
    });
}

/** What has come of an import, in a line: `9,000 rows imported, 12 refused`. */
export function outcomeText({ counts }: Results): string {
  const others = (["refused", "duplicate", "unconfirmed"] as const)
    .filter((outcome) => counts[outcome] > 0)
    .map((outcome) => `, ${grouped.format(counts[outcome])} ${outcome}`);
  return `${rows(counts.new + counts.changed)} imported${others.join("")}`;
}

/** How long something takes, roughly: `about 2 minutes`. */
export function duration(seconds: number): string {
  if (seconds < 60) return `about ${Math.max(1, Math.round(seconds))} s`;
  return `about ${Math.round(seconds / 60)} min`;
}
