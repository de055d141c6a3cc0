import { type FieldSpec, type FormValues, wireName } from "@/shared/form";
import { type Change, lastChangeOf } from "../changes";
import { isSameValue } from "../merge";
import type { Conflict } from "../saveMerging";

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
