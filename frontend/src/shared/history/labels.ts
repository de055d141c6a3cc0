import type { FieldChange } from "./changes";
import { sameJson } from "./sameJson";

/** What people call the fields of a kind of record, by the server's names; dots lead into objects. */
export type FieldLabels = ReadonlyMap<string, string>;

/** What people call a field; one that no screen names is told by the server's name. */
export function labelOf(labels: FieldLabels, field: string): string {
  return labels.get(field) ?? field;
}

/**
 * Changes in the words of the screens: where these name parts of an object (`attributes.city`), the object's
 * change is told as its parts' changes.
 */
export function namedChanges(labels: FieldLabels, changes: readonly FieldChange[]): readonly FieldChange[] {
  return changes.flatMap((change) => {
    const isNamed = [...labels.keys()].some((name) => name.startsWith(`${change.field}.`));
    return isNamed && !labels.has(change.field) ? partsOf(change) : [change];
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
  return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
}
