import type { AnsweredRow } from "@/shared/batch/sendRows";
import { type FieldLabels, labelOf } from "@/shared/history";
import { type Change, changesIn } from "../changes";

/** What is done with many records: undoing takes back what a run did, of each record; redoing, what an undoing did. */
export type What = "change" | "remove" | "undo" | "redo";

/** One of them, as people call it. */
export interface Named {
  id: string;
  name: string;
  /** Of undoing: what made it is taken back. */
  version?: number;
}

/**
 * What came, or would come, of a record. `done`: what was asked for; `conflict`: others have changed it since, and
 * it is left alone; `open`: nothing yet; `unconfirmed`: the answer was lost.
 */
export type Outcome = "done" | "unchanged" | "refused" | "conflict" | "unconfirmed" | "open";

export interface RowOutcome {
  id: string;
  name: string;
  outcome: Outcome;
  /** Of the record afterwards, if the server says so. */
  version: number | null;
  /** The server's names of the fields that change. */
  fields: readonly string[];
  /** Why it was refused. */
  problems: readonly string[];
  /** What others have done to it. */
  since: readonly Change[];
  /** The record is no more. */
  isGone: boolean;
  /** It was no more, and is again. */
  isBack: boolean;
}

export function openOutcome({ id, name }: Pick<Named, "id" | "name">): RowOutcome {
  const nothing = { fields: [], problems: [], since: [], isGone: false, isBack: false };
  return { id, name, outcome: "open", version: null, ...nothing };
}

/** The server's answer about a record, in the words of the screens; without one it is not known. */
export function outcomeOf(
  named: Pick<Named, "id" | "name">,
  answer: AnsweredRow | undefined,
  labels: FieldLabels,
): RowOutcome {
  const row = openOutcome(named);
  if (answer === undefined) return { ...row, outcome: "unconfirmed" };
  const { version = null, fields, validation_errors: errors, detail, changed_since } = answer;
  const problems = (errors ?? []).map(({ field, message }) => `${labelOf(labels, field)}: ${message}`);
  return {
    ...row,
    version,
    outcome: OUTCOMES[answer.outcome],
    fields: fields ?? [],
    problems: problems.length > 0 || !detail ? problems : [detail],
    since: changesIn(changed_since),
    isGone: answer.outcome === "removed",
    isBack: answer.outcome === "new",
  };
}

const OUTCOMES: Readonly<Record<AnsweredRow["outcome"], Outcome>> = {
  new: "done",
  changed: "done",
  removed: "done",
  unchanged: "unchanged",
  refused: "refused",
  conflict: "conflict",
  unconfirmed: "unconfirmed",
};

/** How many records came to what. */
export function countOutcomes(rows: readonly RowOutcome[]): Readonly<Record<Outcome, number>> {
  const counts = { done: 0, unchanged: 0, refused: 0, conflict: 0, unconfirmed: 0, open: 0 };
  for (const { outcome } of rows) counts[outcome] += 1;
  return counts;
}
