import { apiClient, isNotFound, isOutdated } from "@/shared/api/client";
import { type FieldSpec, type FormValues, fieldsOf, type SendKeyed, wireName } from "@/shared/form";
import { type ConcurrentChange, changesIn, lastChangeOf } from "../changes";
import { loadedFrom, type RecordDefinition, recordPath } from "../definition";
import { type Conflict, isSameValue, type Question } from "../merge";
import { queryOf } from "../paths";
import type { RecordCommands, UndoDecision } from "../useRecordCommands";
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
 * @returns the version created; undefined if nothing changed.
 * @throws RemovedSince
 */
export async function undoWithMerge(undo: MergingUndo): Promise<number | undefined> {
  const { request, commands, keyed } = undo;
  const { id, version } = request;
  let decided: UndoDecision | undefined;
  let since: readonly ConcurrentChange[] = [];
  let areAllListed = true;
  for (;;) {
    try {
      return await keyed({ request, decided }, (key) => commands.undo(id, version, key, decided));
    } catch (error) {
      // The record was removed after the decision.
      if (decided !== undefined && isNotFound(error)) throw new RemovedSince(undefined);
      if (!isOutdated(error)) throw error;
      since = [...since, ...changesIn(error.problem.changed_since)];
      areAllListed &&= !(Number(error.problem.changes_left_out) > 0);
    }
    decided = await decision(undo, since, areAllListed);
  }
}

/**
 * Ask the user about later changes, given the listed ones.
 * @throws RemovedSince
 */
async function decision(
  { definition, request: { id, version }, commands, decide, confirm, seesPast }: MergingUndo,
  since: readonly ConcurrentChange[],
  areAllListed: boolean,
): Promise<UndoDecision> {
  const now = await unlessMissing(commands.reload(id));
  if (now === undefined) throw new RemovedSince(since.at(-1));
  const asked = fieldsOf(definition.sections);
  const before = seesPast ? await pastOf(definition, id, version - 1) : undefined;
  const after = before && (await pastOf(definition, id, version));
  const versions = before && { before: before.values, after: after?.values, now: now.values };
  const conflicts = versions ? disputedFields(asked, versions, since, areAllListed) : [];
  if (conflicts.length === 0) {
    const names = new Set(since.flatMap(({ fields }) => fields));
    const changed = asked.filter((spec) => names.has(wireName(spec).split(".")[0] ?? ""));
    const removes = seesPast && before === undefined;
    await confirm({ since, fields: changed.map(({ label }) => label), removes });
    return { known: now.etag, keep: [] };
  }
  const chosen = await decide({ conflicts, taken: [] });
  const kept = conflicts.filter(({ spec, theirs }) => chosen[spec.name] === theirs);
  return { known: now.etag, keep: kept.map(({ spec }) => wireName(spec)) };
}

/** Read a record at a version; undefined if it did not exist. */
async function pastOf({ api }: RecordDefinition, id: string, version: number) {
  if (version === 0) return undefined;
  const answer = await unlessMissing(apiClient.get(recordPath(api, id) + queryOf({ version })));
  return answer && loadedFrom(api, answer);
}

async function unlessMissing<Answer>(reading: Promise<Answer>): Promise<Answer | undefined> {
  try {
    return await reading;
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}

/**
 * Return the fields that a change and a later one have set.
 * @param versions.after values after the change; undefined if it removed the record.
 * @param since the listed later changes.
 * @param areAllListed whether these are all.
 */
export function disputedFields(
  asked: readonly FieldSpec[],
  { before, after, now }: { before: FormValues; after: FormValues | undefined; now: FormValues },
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
