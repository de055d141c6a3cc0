import type { AnsweredRow } from "@/shared/batch/sendRows";
import { capitalized } from "@/shared/format/capitalized";
import { counted, grouped } from "@/shared/format/counted";
import { type FieldChange, type FieldLabels, labelOf } from "@/shared/history";
import { toast } from "@/shared/toast";
import type { Figure, StatusTone } from "@/shared/ui";
import { type Change, changesIn } from "../changes";
import type { RecordDefinition } from "../definition";
import { askBulk, type BulkRequest, type Named, type What } from "./bulkStore";

/**
 * What came, or would come, of a record. `done`: what was asked for; `conflict`: others have changed it since, and
 * it is left alone; `open`: nothing yet; `unconfirmed`: the answer was lost.
 */
type Outcome = "done" | "unchanged" | "refused" | "conflict" | "unconfirmed" | "open";

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

/** Where it is: each state leads to the next; a dry run that fails or is broken off, back to the first. */
export interface BulkState {
  step: "asking" | "checking" | "checked" | "running" | "ended";
  what: What;
  rows: readonly RowOutcome[];
  /** What changes of each record, by its id; as it was when the server decided of it. */
  changes: ReadonlyMap<string, readonly FieldChange[]>;
  /** Seconds until the server, which does not answer, is asked again. */
  waiting?: number | undefined;
  isStopping?: boolean;
  /** Why it did not go on. */
  problem?: string | undefined;
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

const VERBS: Readonly<Record<What, { verb: string; busy: string; done: string }>> = {
  change: { verb: "Change", busy: "Changing", done: "changed" },
  remove: { verb: "Delete", busy: "Deleting", done: "deleted" },
  undo: { verb: "Undo", busy: "Undoing", done: "undone" },
  redo: { verb: "Redo", busy: "Redoing", done: "redone" },
};

/** Undoing is about what was done with the records. */
function object(what: What, count: number, noun: string): string {
  return isUndoing(what) ? `what was done with ${counted(count, noun)}` : counted(count, noun);
}

/** `Change 12 drivers`. */
export function titleOf(what: What, count: number, noun: string): string {
  return `${VERBS[what].verb} ${object(what, count, noun)}`;
}

/** What the button says that does it: `Change 12 drivers`, `Undo 12`. */
export function doText(what: What, count: number, noun: string): string {
  return `${VERBS[what].verb} ${isUndoing(what) ? grouped.format(count) : counted(count, noun)}`;
}

/** What the button says that takes it back. */
export function undoText(what: What): string {
  return VERBS[what === "undo" ? "redo" : "undo"].verb;
}

/** `Changing`. */
export function busyText(what: What): string {
  return VERBS[what].busy;
}

/** What has come of it, or would, in a sentence: `9 drivers changed.` */
export function summaryOf(
  { what, step, rows }: Pick<BulkState, "what" | "step" | "rows">,
  noun: string,
): string {
  const { done } = countOutcomes(rows);
  if (step === "checked" && done === 0) return "Nothing would change.";
  const { done: verb } = VERBS[what];
  if (step === "checked")
    return `${capitalized(object(what, done, noun))} would be ${verb}. Nothing has been changed yet.`;
  return `${capitalized(object(what, done, noun))} ${isUndoing(what) ? "is " : ""}${verb}.`;
}

const TONES: Readonly<Record<Outcome, StatusTone>> = {
  done: "success",
  unchanged: "neutral",
  refused: "danger",
  conflict: "warning",
  unconfirmed: "warning",
  open: "neutral",
};

/** What an outcome is called. */
export function outcomeLabel(outcome: Outcome, { what, step }: Pick<BulkState, "what" | "step">): string {
  if (outcome !== "done") return OTHERS[outcome];
  const { done } = VERBS[what];
  return step === "checked" ? `Will be ${done}` : capitalized(done);
}

const OTHERS: Readonly<Record<Exclude<Outcome, "done">, string>> = {
  unchanged: "Unchanged",
  refused: "Refused",
  conflict: "Changed elsewhere",
  unconfirmed: "Not known",
  open: "Not begun",
};

export function outcomeTone(outcome: Outcome): StatusTone {
  return TONES[outcome];
}

/** How many came to what, as far as any did; each narrows the list below to them. */
export function figuresOf(state: Pick<BulkState, "what" | "step" | "rows">): readonly Figure[] {
  const counts = countOutcomes(state.rows);
  return (Object.keys(counts) as Outcome[])
    .filter((outcome) => outcome === "done" || counts[outcome] > 0)
    .map((outcome) => ({
      label: outcomeLabel(outcome, state),
      value: counts[outcome],
      tone: TONES[outcome],
      filter: outcome,
    }));
}

function isUndoing(what: What): boolean {
  return what === "undo" || what === "redo";
}

/** Takes back what a run has done. */
export function undoOf({ api }: RecordDefinition, { what, rows }: BulkState): BulkRequest {
  const records = rows.flatMap(({ id, name, outcome, version }) =>
    outcome === "done" && version !== null ? [{ id, name, version }] : [],
  );
  return { entity: api.noun, what: what === "undo" ? "redo" : "undo", records };
}

/** Says in a toast what has come of a run, and offers to take it back. */
export function tellEnd(definition: RecordDefinition, state: BulkState): void {
  const { noun } = definition.api;
  const left = state.rows.length - countOutcomes(state.rows).done;
  toast.show({
    title: summaryOf(state, noun).replace(/\.$/, ""),
    message: left > 0 ? `${counted(left, noun)} left as they were.` : undefined,
    intent: "success",
    action: { text: undoText(state.what), onSelect: () => askBulk(undoOf(definition, state)) },
  });
}
