import { type ApiError, isOutdated } from "@/shared/api/client";
import { type FieldSpec, type FormValues, wireName } from "@/shared/form";
import { type ConcurrentChange, changesSince, isCurrent, lastChangeOf } from "./changes";
import type { LoadedRecord } from "./definition";

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
  send: (loaded: LoadedRecord, values: FormValues) => Promise<void>;
  reload: () => Promise<LoadedRecord>;
  /** Ask for the value of each field in conflict; rejects if the user cancels. */
  decide: (question: Question) => Promise<FormValues>;
}

/**
 * Save a record that others may change at the same time. Changes to different fields are merged and sent again; where
 * both have changed a field, the user decides. Returns the changes of others that are part of the saved record.
 */
export async function saveWithMerge({
  loaded,
  values,
  asked,
  send,
  reload,
  decide,
}: MergingSave): Promise<readonly ConcurrentChange[]> {
  const others: ConcurrentChange[] = [];
  let base = loaded;
  let mine = values;
  let mayRetry = true;
  for (;;) {
    const refusal = await refusalOf(send(base, mine));
    if (refusal === undefined) return others;
    if (!mayRetry) throw refusal;
    const changes = changesSince(refusal);
    others.push(...changes);
    const now = await reload();
    // Masked values cannot be merged.
    if (asked.some(({ name }) => now.hidden.has(name))) throw refusal;
    // If the record has changed again since, the author of a value is unknown.
    const known = isCurrent(now.etag, refusal) ? changes : [];
    const versions = { base: base.values, mine, theirs: now.values };
    const { merged, taken, disputed } = mergeValues(asked, versions);
    mine = merged;
    mayRetry = disputed.length > 0;
    if (disputed.length > 0) {
      const conflicts = asked
        .filter(({ name }) => disputed.includes(name))
        .map((spec) => ({
          spec,
          original: versions.base[spec.name] ?? "",
          mine: versions.mine[spec.name] ?? "",
          theirs: versions.theirs[spec.name] ?? "",
          change: lastChangeOf(wireName(spec), known),
        }));
      const labels = asked.filter(({ name }) => taken.includes(name)).map(({ label }) => label);
      mine = { ...merged, ...(await decide({ conflicts, taken: labels })) };
    }
    base = now;
  }
}

/** Wait for a save: return a 412 error, and throw any other. */
async function refusalOf(sending: Promise<void>): Promise<ApiError | undefined> {
  try {
    await sending;
    return undefined;
  } catch (error) {
    if (isOutdated(error)) return error;
    throw error;
  }
}

interface Versions {
  /** The common ancestor. */
  base: FormValues;
  mine: FormValues;
  theirs: FormValues;
}

interface Merge {
  /** Both sides' changes; fields in conflict have their current value. */
  merged: FormValues;
  /** Fields that only others have changed. */
  taken: readonly string[];
  /** Fields that both have changed to different values. */
  disputed: readonly string[];
}

/** Merge two sets of changes field by field. */
function mergeValues(asked: readonly FieldSpec[], { base, mine, theirs }: Versions): Merge {
  const merged: FormValues = { ...theirs };
  const taken: string[] = [];
  const disputed: string[] = [];
  for (const spec of asked) {
    const { name } = spec;
    const isSame = (a: FormValues, b: FormValues) => isSameValue(spec, a[name], b[name]);
    if (isSame(mine, base)) {
      if (!isSame(theirs, base)) taken.push(name);
    } else if (isSame(theirs, base)) merged[name] = mine[name] ?? "";
    else if (!isSame(mine, theirs)) disputed.push(name);
  }
  return { merged, taken, disputed };
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
