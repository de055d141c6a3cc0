import { type ApiError, isOutdated } from "@/shared/api/client";
import { type FieldSpec, type FormValues, wireName } from "@/shared/form";
import { type Change, changesSince, isCurrent, lastChangeOf } from "./changes";
import type { LoadedRecord } from "./definition";

/** A field that was changed here and elsewhere. */
export interface Conflict {
  spec: FieldSpec;
  mine: string;
  theirs: string;
  /** Who changed it and when, if the server says so. */
  change: Change | undefined;
}

/** What has to be decided before a save can go on. */
export interface Question {
  conflicts: readonly Conflict[];
  /** Labels of the fields that only others have changed: they stay as they are now. */
  taken: readonly string[];
}

interface MergingSave {
  /** What the form started from. */
  loaded: LoadedRecord;
  /** What the form holds. */
  values: FormValues;
  asked: readonly FieldSpec[];
  /** Sends the values on condition that the record still is what was loaded. */
  send: (loaded: LoadedRecord, values: FormValues) => Promise<void>;
  reload: () => Promise<LoadedRecord>;
  /** Asks the user; answers with what each disputed field is to be, or throws when the user would rather not. */
  decide: (question: Question) => Promise<FormValues>;
}

/**
 * Saves a record that others may be changing at the same time. Changes to different fields are merged,
 * and sent once more; where the same field was changed, the user decides. Returns the changes of others
 * that are in what was saved.
 */
export async function saveMerging({
  loaded,
  values,
  asked,
  send,
  reload,
  decide,
}: MergingSave): Promise<readonly Change[]> {
  const others: Change[] = [];
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
    // What must not be seen any more cannot be merged.
    if (asked.some(({ name }) => now.hidden.has(name))) throw refusal;
    // Changed once more since: then nobody has said by whom.
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

/** Waits for a save; answers with the refusal if the record had changed, and throws for any other failure. */
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
  /** What both sides started from. */
  base: FormValues;
  mine: FormValues;
  theirs: FormValues;
}

interface Merge {
  /** Each side's changes; where both changed a field, theirs until somebody has decided. */
  merged: FormValues;
  /** Fields that only they have changed. */
  taken: readonly string[];
  /** Fields that both have changed, and not to the same. */
  disputed: readonly string[];
}

/** Joins two sets of changes to the same record, field by field. Only what the form asks for can be mine. */
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

/** Whether two values of a field say the same. */
export function isSameValue({ kind }: FieldSpec, a: string | undefined, b: string | undefined): boolean {
  return normalized(a, kind) === normalized(b, kind);
}

/** What decides whether a value has changed: neither space around it nor the layout of JSON. */
function normalized(value: string | undefined, kind: FieldSpec["kind"]): string {
  const text = (value ?? "").trim();
  if (kind !== "json") return text;
  try {
    return JSON.stringify(JSON.parse(text));
  } catch {
    return text; // not JSON (yet)
  }
}
