import { type ApiError, isOutdated } from "@/shared/api/client";
import { type FieldSpec, type FormValues, wireName } from "@/shared/form";
import { type ConcurrentChange, changesIn, isCurrent, lastChangeOf } from "./changes";
import type { LoadedRecord } from "./definition";
import type { Saved } from "./useRecordCommands";

/** A field that the user and others have changed. */
export interface Conflict {
  spec: FieldSpec;
  /** The value before both changes, if known. */
  original?: string;
  mine: string;
  theirs: string;
  /** The other change, if known. */
  change: ConcurrentChange | undefined;
}

/** Conflicts for the user to decide. */
export interface Question {
  conflicts: readonly Conflict[];
  /** Labels of fields that only others have changed. */
  taken: readonly string[];
}

interface MergingSave {
  /** The record that the form started from. */
  loaded: LoadedRecord;
  values: FormValues;
  asked: readonly FieldSpec[];
  /** Send values with the ETag of the loaded record. */
  send: (loaded: LoadedRecord, values: FormValues) => Promise<Saved>;
  reload: () => Promise<LoadedRecord>;
  /** Ask for the value of each field in conflict; rejects if the user cancels. */
  decide: (question: Question) => Promise<FormValues>;
}

/**
 * Save a record that others may change at the same time. Changes to different fields are merged and sent again; where
 * both have changed a field, the user decides. Returns the changes of others that are part of the saved record as well.
 */
export async function saveWithMerge(save: MergingSave) {
  const { asked, send, reload, decide } = save;
  const others: ConcurrentChange[] = [];
  let base = save.loaded;
  let mine = save.values;
  let mayRetry = true;
  for (;;) {
    let refusal: ApiError;
    try {
      return { ...(await send(base, mine)), others };
    } catch (error) {
      if (!mayRetry || !isOutdated(error)) throw error;
      refusal = error;
    }
    const changes = changesIn(refusal.problem.changed_since);
    others.push(...changes);
    const now = await reload();
    // Masked values cannot be merged.
    if (asked.some(({ name }) => now.hidden.has(name))) throw refusal;
    // If the record has changed again since, the author of a value is unknown.
    const known = isCurrent(now.etag, refusal) ? changes : [];
    const { merged, taken, conflicts } = mergeValues(asked, base.values, mine, now.values, known);
    mayRetry = conflicts.length > 0;
    mine = mayRetry ? { ...merged, ...(await decide({ conflicts, taken })) } : merged;
    base = now;
  }
}

/**
 * Merge two sets of changes to a common ancestor field by field.
 * @returns both sides' changes, in which fields in conflict have their current value; labels of fields that only others
 * have changed; fields that both have changed to different values.
 */
function mergeValues(
  asked: readonly FieldSpec[],
  base: FormValues,
  mine: FormValues,
  theirs: FormValues,
  changes: readonly ConcurrentChange[],
) {
  const merged: FormValues = { ...theirs };
  const taken: string[] = [];
  const conflicts: Conflict[] = [];
  for (const spec of asked) {
    const [original = "", own = "", other = ""] = [base, mine, theirs].map((values) => values[spec.name]);
    if (isSameValue(spec, own, original)) {
      if (!isSameValue(spec, other, original)) taken.push(spec.label);
    } else if (isSameValue(spec, other, original)) merged[spec.name] = own;
    else if (!isSameValue(spec, own, other)) {
      const change = lastChangeOf(wireName(spec), changes);
      conflicts.push({ spec, original, mine: own, theirs: other, change });
    }
  }
  return { merged, taken, conflicts };
}

export function isSameValue({ kind }: FieldSpec, a: string | undefined, b: string | undefined): boolean {
  return normalized(a, kind) === normalized(b, kind);
}

/** Normalise a value: trim it, and ignore the layout of JSON. */
function normalized(value: string | undefined, kind: FieldSpec["kind"]): string {
  const text = (value ?? "").trim();
  if (kind !== "json") return text;
  try {
    return JSON.stringify(JSON.parse(text));
  } catch {
    return text; // not JSON (yet)
  }
}
