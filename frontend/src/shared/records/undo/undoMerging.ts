import { type ApiError, apiClient, isNotFound, isOutdated } from "@/shared/api/client";
import { type FieldSpec, type FormValues, fieldsOf, type SendKeyed, wireName } from "@/shared/form";
import { type Change, changesSince, lastChangeOf } from "../changes";
import { type LoadedRecord, loadedFrom, type RecordDefinition, recordPath } from "../definition";
import { queryOf } from "../paths";
import { type Conflict, isSameValue, type Question } from "../saveMerging";
import type { RecordCommands, Saved } from "../useRecordCommands";
import type { UndoRequest } from "./undoStore";

/** What was changed is removed now: there is nothing to undo it on. */
export class RemovedSince extends Error {
  readonly by: Change | undefined;

  constructor(by: Change | undefined) {
    super();
    this.by = by;
  }
}

/** What others have done since to a record, all of which an undo would end. */
export interface Objection {
  since: readonly Change[];
  /** Labels of what they have changed. */
  fields: readonly string[];
  /** Whether it is a registration that is undone, and so the record removed. */
  removes: boolean;
}

interface MergingUndo {
  definition: RecordDefinition;
  request: UndoRequest;
  commands: Pick<RecordCommands, "undo" | "reload">;
  keyed: SendKeyed;
  /** Whether this user may see what the record was, and so compare. */
  seesPast: boolean;
  /** Asks what each disputed field is to be; throws when the user would rather not. */
  decide: (question: Question) => Promise<FormValues>;
  /** Asks whether to go on where there is nothing to choose; throws when the user would rather not. */
  confirm: (objection: Objection) => Promise<unknown>;
}

/**
 * Undoes a change, and what others have done to the record since stays. Where they have changed the same, the
 * user decides, field by field, and once more where somebody changes it meanwhile.
 * @throws RemovedSince
 */
export async function undoMerging(undo: MergingUndo): Promise<Saved> {
  const { definition, request, commands, keyed } = undo;
  const { id, version } = request;
  let decided: { known: string | undefined; keep: readonly string[] } | undefined;
  let since: readonly Change[] = [];
  let areAllTold = true;
  for (;;) {
    let saved: Saved = { id, made: undefined };
    try {
      await keyed({ request, decided }, async (key) => {
        saved = await commands.undo(id, version, key, decided);
      });
      return saved;
    } catch (error) {
      // What has been seen is gone meanwhile.
      if (decided !== undefined && isNotFound(error)) throw new RemovedSince(undefined);
      if (!isOutdated(error)) throw error;
      since = [...since, ...changesSince(error)];
      areAllTold = areAllTold && !leavesOut(error);
    }
    decided = await decision(undo, await presentOf(undo, since), since, areAllTold);
  }

  async function decision(
    { decide, confirm, seesPast }: MergingUndo,
    now: LoadedRecord,
    told: readonly Change[],
    isWhole: boolean,
  ) {
    const asked = fieldsOf(definition.sections);
    const before = seesPast ? await pastOf(definition, id, version - 1) : undefined;
    const after = before && (await pastOf(definition, id, version));
    const versions = before && { before: before.values, after: after?.values, now: now.values };
    const conflicts = versions ? disputedFields(asked, versions, told, isWhole) : [];
    if (conflicts.length === 0) {
      const names = new Set(told.flatMap(({ fields }) => fields));
      const changed = asked.filter((spec) => names.has(wireName(spec).split(".")[0] ?? ""));
      const removes = seesPast && before === undefined;
      await confirm({ since: told, fields: changed.map(({ label }) => label), removes });
      return { known: now.etag, keep: [] };
    }
    const chosen = await decide({ conflicts, taken: [] });
    const kept = conflicts.filter(({ spec, theirs }) => chosen[spec.name] === theirs);
    return { known: now.etag, keep: kept.map(({ spec }) => wireName(spec)) };
  }
}

/** @throws RemovedSince */
async function presentOf(
  { commands, request }: MergingUndo,
  since: readonly Change[],
): Promise<LoadedRecord> {
  try {
    return await commands.reload(request.id);
  } catch (error) {
    throw isNotFound(error) ? new RemovedSince(since.at(-1)) : error;
  }
}

/** What a record was at a version; undefined where there was none. */
async function pastOf(
  { api }: RecordDefinition,
  id: string,
  version: number,
): Promise<LoadedRecord | undefined> {
  if (version === 0) return undefined;
  try {
    return loadedFrom(api, await apiClient.get(recordPath(api, id) + queryOf({ version })));
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}

function leavesOut({ problem }: ApiError): boolean {
  return typeof problem.changes_left_out === "number" && problem.changes_left_out > 0;
}

interface Versions {
  /** What the record was before the change. */
  before: FormValues;
  /** What the change made of it; undefined: it removed it. */
  after: FormValues | undefined;
  /** What it is now. */
  now: FormValues;
}

/**
 * The fields that a change has set, and somebody after it: for each, what it was before and what it is now.
 * @param since the changes that came after it.
 * @param areAllTold whether there were no others.
 */
export function disputedFields(
  asked: readonly FieldSpec[],
  { before, after, now }: Versions,
  since: readonly Change[],
  areAllTold: boolean,
): readonly Conflict[] {
  return asked.flatMap((spec) => {
    const { name } = spec;
    const isSame = (a: FormValues, b: FormValues) => isSameValue(spec, a[name], b[name]);
    if ((after && isSame(before, after)) || isSame(before, now)) return [];
    const change = lastChangeOf(wireName(spec), since);
    if (after && change === undefined && areAllTold && isSame(after, now)) return [];
    return [{ spec, mine: before[name] ?? "", theirs: now[name] ?? "", change }];
  });
}
