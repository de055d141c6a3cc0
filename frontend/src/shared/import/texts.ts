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
  leftOut: { label: "Left out", tone: "neutral" },
  unconfirmed: { label: "Unconfirmed", tone: "warning" },
};

/** The filter of rows that may duplicate a record. */
export const SIMILAR = "similar";

/** Return the number of rows per outcome, each of which filters the list, and of those with similar records. */
export function figuresOf({ counts }: Results, similar = 0): readonly Figure[] {
  const figures: readonly Figure[] = (Object.keys(OUTCOMES) as Outcome[])
    .filter((outcome) => !["leftOut", "unconfirmed"].includes(outcome) || counts[outcome] > 0)
    .map((outcome) => ({ ...OUTCOMES[outcome], value: counts[outcome], filter: outcome }));
  if (similar === 0) return figures;
  return [...figures, { label: "Possible Duplicates", tone: "warning", value: similar, filter: SIMILAR }];
}

/** Summarise an import: `9,000 rows imported (8,000 new, 1,000 changed), 12 refused`. */
export function outcomeText({ counts }: Results): string {
  const listed = (...outcomes: readonly Outcome[]) =>
    outcomes
      .filter((outcome) => counts[outcome] > 0)
      .map((outcome) => `${grouped.format(counts[outcome])} ${OUTCOMES[outcome].label.toLowerCase()}`)
      .join(", ");
  const imported = listed("new", "changed");
  const others = listed("unchanged", "refused", "duplicate", "leftOut", "unconfirmed");
  return `${rows(counts.new + counts.changed)} imported${imported && ` (${imported})`}${others && `, ${others}`}`;
}
