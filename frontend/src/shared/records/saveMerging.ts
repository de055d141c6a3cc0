import { type ApiError, isOutdated } from "@/shared/api/client";
import { type FieldSpec, type FormValues, wireName } from "@/shared/form";
import { type Change, changesSince, isCurrent, lastChangeOf } from "./changes";
import type { LoadedRecord } from "./definition";
import { mergeValues } from "./merge";

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
