import type { AnsweredRow } from "@/shared/batch/sendRows";
import { capitalized } from "@/shared/format/capitalized";
import { counted } from "@/shared/format/counted";
import { type FieldChange, type FieldLabels, labelOf } from "@/shared/history";
import type { Figure, StatusTone } from "@/shared/ui";
import { type ConcurrentChange, changesIn } from "../changes";
import type { RecordDefinition } from "../definition";
import type { BulkAction, BulkRecord, BulkRequest } from "./bulkStore";

/**
 * A record's outcome, planned or final. `conflict`: changed by others since, and skipped; `unconfirmed`: the answer was
 * lost.
 */
type Outcome = "done" | "unchanged" | "refused" | "conflict" | "unconfirmed" | "open";

export interface RecordOutcome extends Pick<BulkRecord, "id" | "name"> {
  outcome: Outcome;
  /** The record's version afterwards, if known. */
  version: number | null;
  /** Wire names of the fields that change. */
  fields: readonly string[];
  /** Reasons of a refusal. */
  problems: readonly string[];
  since: readonly ConcurrentChange[];
  isGone: boolean;
  isBack: boolean;
}

/** State of a bulk run. A failed or aborted dry run returns to `asking`. */
export interface BulkState {
  step: "asking" | "checking" | "checked" | "running" | "ended";
  what: BulkAction;
  rows: readonly RecordOutcome[];
  /** Changes by record id, as of the dry run. */
  changes: ReadonlyMap<string, readonly FieldChange[]>;
  /** Seconds until the next retry. */
  waiting?: number | undefined;
  isStopping?: boolean;
  /** Why the run stopped. */
  problem?: string | undefined;
}

export function openOutcome({ id, name }: Pick<BulkRecord, "id" | "name">): RecordOutcome {
  const nothing = { fields: [], problems: [], since: [], isGone: false, isBack: false };
  return { id, name, outcome: "open", version: null, ...nothing };
}

/** Convert the server's answer about a record; no answer is `unconfirmed`. */
export function outcomeOf(
  named: Pick<BulkRecord, "id" | "name">,
  answer: AnsweredRow | undefined,
  labels: FieldLabels,
): RecordOutcome {
  const row = openOutcome(named);
  if (answer === undefined) return { ...row, outcome: "unconfirmed" };
  const { outcome, version, fields, validation_errors: errors, detail, changed_since } = answer;
  const problems = errors.map(({ field, message }) => `${labelOf(labels, field)}: ${message}`);
  return {
    ...row,
    version,
    outcome: outcome === "new" || outcome === "changed" || outcome === "removed" ? "done" : outcome,
    fields,
    problems: problems.length > 0 || !detail ? problems : [detail],
    since: changesIn(changed_since),
    isGone: outcome === "removed",
    isBack: outcome === "new",
  };
}

export function countOutcomes(rows: readonly RecordOutcome[]): Readonly<Record<Outcome, number>> {
  const counts = { done: 0, unchanged: 0, refused: 0, conflict: 0, unconfirmed: 0, open: 0 };
  for (const { outcome } of rows) counts[outcome] += 1;
  return counts;
}

export const VERBS: Readonly<Record<BulkAction, { verb: string; busy: string; done: string }>> = {
  change: { verb: "Change", busy: "Changing", done: "changed" },
  remove: { verb: "Delete", busy: "Deleting", done: "deleted" },
  undo: { verb: "Undo", busy: "Undoing", done: "undone" },
  redo: { verb: "Redo", busy: "Redoing", done: "redone" },
};

/** An undo is about changes to records. */
function object(what: BulkAction, count: number, noun: string): string {
  return `${isUndoing(what) ? "changes to " : ""}${counted(count, noun)}`;
}

/** `Change 12 drivers`. */
export function titleOf(what: BulkAction, count: number, noun: string): string {
  return `${VERBS[what].verb} ${object(what, count, noun)}`;
}

/** Return the effect in a sentence: `9 drivers changed.` */
export function summaryOf(
  { what, step, rows }: Pick<BulkState, "what" | "step" | "rows">,
  noun: string,
): string {
  const { done } = countOutcomes(rows);
  if (step === "checked" && done === 0) return "Nothing would change.";
  const { verb, done: participle } = VERBS[what];
  const of = object(what, done, noun);
  if (step === "checked") return `This will ${verb.toLowerCase()} ${of}. Nothing has been changed yet.`;
  return `${capitalized(of)} ${participle}.`;
}

/** Labels and tones; the label of `done` depends on the action. */
const OUTCOME_TEXTS: Readonly<Record<Outcome, { label: string; tone: StatusTone }>> = {
  done: { label: "", tone: "success" },
  unchanged: { label: "Unchanged", tone: "neutral" },
  refused: { label: "Refused", tone: "danger" },
  conflict: { label: "Changed elsewhere", tone: "warning" },
  unconfirmed: { label: "Unconfirmed", tone: "warning" },
  open: { label: "Not started", tone: "neutral" },
};

export function outcomeBadge(outcome: Outcome, { what, step }: Pick<BulkState, "what" | "step">) {
  const badge = OUTCOME_TEXTS[outcome];
  if (outcome !== "done") return badge;
  const { done } = VERBS[what];
  return { ...badge, label: step === "checked" ? `Will be ${done}` : capitalized(done) };
}

/** Return the number of records per outcome; each outcome is a filter of the list. */
export function figuresOf(state: Pick<BulkState, "what" | "step" | "rows">): readonly Figure[] {
  const counts = countOutcomes(state.rows);
  return (Object.keys(counts) as Outcome[])
    .filter((outcome) => outcome === "done" || counts[outcome] > 0)
    .map((outcome) => ({ ...outcomeBadge(outcome, state), value: counts[outcome], filter: outcome }));
}

export function isUndoing(what: BulkAction): boolean {
  return what === "undo" || what === "redo";
}

/** Return the request that reverts a run. */
export function undoOf({ api }: RecordDefinition, { what, rows }: BulkState): BulkRequest {
  const records = rows.flatMap(({ id, name, outcome, version }) =>
    outcome === "done" && version !== null ? [{ id, name, version }] : [],
  );
  return { entity: api.noun, what: what === "undo" ? "redo" : "undo", records };
}
