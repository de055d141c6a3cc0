import { type ApiError, apiClient, isNotFound, isOutdated } from "@/shared/api/client";
import { type FieldSpec, type FormValues, fieldsOf, type SendKeyed, wireName } from "@/shared/form";
import { type ConcurrentChange, changesSince, lastChangeOf } from "../changes";
import { type LoadedRecord, loadedFrom, type RecordDefinition, recordPath } from "../definition";
import { type Conflict, isSameValue, type Question } from "../merge";
import { queryOf } from "../paths";
import type { RecordCommands, Saved } from "../useRecordCommands";
import type { UndoRequest } from "./undoStore";

/** The record was removed since the change to undo. */
export class RemovedSince extends Error {
  readonly by: ConcurrentChange | undefined;

  constructor(by: ConcurrentChange | undefined) {
    super();
    this.by = by;
  }
}

/** Later changes by others, which the user is asked about. */
export interface Objection {
  since: readonly ConcurrentChange[];
  /** Labels of the changed fields. */
  fields: readonly string[];
  /** The undo removes the record, because it undoes a registration. */
  removes: boolean;
}

interface MergingUndo {
  definition: RecordDefinition;
  request: UndoRequest;
  commands: Pick<RecordCommands, "undo" | "reload">;
  keyed: SendKeyed;
  /** Whether the user may read former versions. */
  seesPast: boolean;
  /** Ask for the value of each field in conflict; rejects if the user cancels. */
  decide: (question: Question) => Promise<FormValues>;
  /** Ask whether to continue without a choice of fields; rejects if the user cancels. */
  confirm: (objection: Objection) => Promise<unknown>;
}

/**
 * Undo a change and keep later changes to other fields. The user decides about fields that others have changed since,
 * again if they change meanwhile.
 * @throws RemovedSince
 */
export async function undoWithMerge(undo: MergingUndo): Promise<Saved> {
  const { definition, request, commands, keyed } = undo;
  const { id, version } = request;
  let decided: { known: string | undefined; keep: readonly string[] } | undefined;
  let since: readonly ConcurrentChange[] = [];
  let areAllListed = true;
  for (;;) {
    let saved: Saved = { id, made: undefined };
    try {
      await keyed({ request, decided }, async (key) => {
        saved = await commands.undo(id, version, key, decided);
      });
      return saved;
    } catch (error) {
      // The record was removed after the decision.
      if (decided !== undefined && isNotFound(error)) throw new RemovedSince(undefined);
      if (!isOutdated(error)) throw error;
      since = [...since, ...changesSince(error)];
      areAllListed = areAllListed && !leavesOut(error);
    }
    decided = await decision(undo, await presentOf(undo, since), since, areAllListed);
  }

  async function decision(
    { decide, confirm, seesPast }: MergingUndo,
    now: LoadedRecord,
    listed: readonly ConcurrentChange[],
    isComplete: boolean,
  ) {
    const asked = fieldsOf(definition.sections);
    const before = seesPast ? await pastOf(definition, id, version - 1) : undefined;
    const after = before && (await pastOf(definition, id, version));
    const versions = before && { before: before.values, after: after?.values, now: now.values };
    const conflicts = versions ? disputedFields(asked, versions, listed, isComplete) : [];
    if (conflicts.length === 0) {
      const names = new Set(listed.flatMap(({ fields }) => fields));
      const changed = asked.filter((spec) => names.has(wireName(spec).split(".")[0] ?? ""));
      const removes = seesPast && before === undefined;
      await confirm({ since: listed, fields: changed.map(({ label }) => label), removes });
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
  since: readonly ConcurrentChange[],
): Promise<LoadedRecord> {
  try {
    return await commands.reload(request.id);
  } catch (error) {
    throw isNotFound(error) ? new RemovedSince(since.at(-1)) : error;
  }
}

/** Read a record at a version; undefined if it did not exist. */
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
  before: FormValues;
  /** Values after the change; undefined if it removed the record. */
  after: FormValues | undefined;
  now: FormValues;
}

/**
 * Return the fields that a change and a later one have set.
 * @param since the listed later changes.
 * @param areAllListed whether these are all.
 */
export function disputedFields(
  asked: readonly FieldSpec[],
  { before, after, now }: Versions,
  since: readonly ConcurrentChange[],
  areAllListed: boolean,
): readonly Conflict[] {
  return asked.flatMap((spec) => {
    const { name } = spec;
    const isSame = (a: FormValues, b: FormValues) => isSameValue(spec, a[name], b[name]);
    if ((after && isSame(before, after)) || isSame(before, now)) return [];
    const change = lastChangeOf(wireName(spec), since);
    if (after && change === undefined && areAllListed && isSame(after, now)) return [];
    return [{ spec, mine: before[name] ?? "", theirs: now[name] ?? "", change }];
  });
}
