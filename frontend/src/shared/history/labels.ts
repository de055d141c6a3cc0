import { ERASED_VALUE, type FieldChange, HIDDEN_VALUE, type Masked } from "./changes";
import { sameJson } from "./sameJson";

/** What people call the fields of a kind of record, by the server's names; dots lead into objects. */
export type FieldLabels = ReadonlyMap<string, string>;

/** What people call a field; one that no screen names is told by the server's name. */
export function labelOf(labels: FieldLabels, field: string): string {
  const known = labels.get(field);
  if (known !== undefined) return known;
  const dot = field.indexOf(".");
  const whole = dot < 0 ? undefined : labels.get(field.slice(0, dot));
  return whole === undefined ? field : `${whole} · ${field.slice(dot + 1)}`;
}

/**
 * Changes in the words of the screens: an object's change is told as the changes of its parts, and what is kept back
 * from this reader as {@link HIDDEN_VALUE}, what is erased as {@link ERASED_VALUE}.
 */
export function namedChanges(
  labels: FieldLabels,
  { changes, masked = [], erased = [] }: Masked & { changes: readonly FieldChange[] },
): readonly FieldChange[] {
  return changes.flatMap((change) => {
    if (erased.includes(change.field)) return [{ ...change, from: ERASED_VALUE, to: ERASED_VALUE }];
    if (masked.includes(change.field)) return [{ ...change, from: HIDDEN_VALUE, to: HIDDEN_VALUE }];
    const isNamedByParts = [...labels.keys()].some((name) => name.startsWith(`${change.field}.`));
    return isNamedByParts || (isObject(change.from) && isObject(change.to)) ? partsOf(change) : [change];
  });
}

function partsOf({ field, from, to }: FieldChange): FieldChange[] {
  const before = membersOf(from);
  const after = membersOf(to);
  return Object.keys({ ...before, ...after })
    .filter((name) => !sameJson(before[name] ?? null, after[name] ?? null))
    .map((name) => ({ field: `${field}.${name}`, from: before[name] ?? null, to: after[name] ?? null }));
}

function membersOf(value: unknown): Record<string, unknown> {
  return isObject(value) ? value : {};
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
