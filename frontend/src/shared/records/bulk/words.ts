import { capitalized } from "@/shared/format/capitalized";
import type { Figure, StatusTone } from "@/shared/ui";
import type { BulkState } from "./bulkRun";
import { countOutcomes, type Outcome, type What } from "./outcomes";

const numbers = new Intl.NumberFormat("en-IN");

/** `1 driver`, `3,400 drivers`. */
export function counted(count: number, noun: string): string {
  return `${numbers.format(count)} ${noun}${count === 1 ? "" : "s"}`;
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
  return `${VERBS[what].verb} ${isUndoing(what) ? numbers.format(count) : counted(count, noun)}`;
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
