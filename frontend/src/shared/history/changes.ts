import type { Wire } from "@/shared/api/wireTypes.gen";

/** Who did something; as the log has them. */
export type Actor = Wire<"Actor">;

/** A value as the server keeps it: anything JSON has. */
export type WireValue = unknown;

/** Stands for a value that the server keeps back from this reader. */
export const HIDDEN_VALUE = Symbol("hidden");

/** Stands for a value that is nowhere any more. */
export const ERASED_VALUE = Symbol("erased");

/** Stands for a value that was not asked for. */
export const UNKNOWN_VALUE = Symbol("unknown");

/** What an answer about changes does not tell: the fields' names, and its own members such as `reason`. */
export interface Masked {
  /** Kept back from this reader. */
  masked?: readonly string[] | undefined;
  /** Gone for everyone. */
  erased?: readonly string[] | undefined;
}

/** One field's values before and after a change; dots in its name lead into objects. */
export type FieldChange = Wire<"FieldChange">;

/** One change of a record. */
export type Change = Wire<"VersionChange">;

/** One change of any record. */
export type AuditedChange = Wire<"AuditChange">;

/** What a change did to the record as a whole. */
export type ChangeKind = keyof typeof TITLES;

const TITLES = {
  registered: "Registered",
  details_changed: "Changed",
  removed: "Removed",
  restricted: "Restricted",
  hold_set: "Legal hold",
  restriction_lifted: "Restriction lifted",
  erased: "Erased",
} as const;

/** All there are. */
export const CHANGE_KINDS = Object.keys(TITLES) as ChangeKind[];

/** What a change did; undefined for a type that this version of the screens does not know. */
export function kindOf(type: string): ChangeKind | undefined {
  const kind = type.slice(type.indexOf(".") + 1);
  return kind in TITLES ? (kind as ChangeKind) : undefined;
}

/** Whether there is no record after a change. */
export function isEnd(type: string): boolean {
  const kind = kindOf(type);
  return kind === "removed" || kind === "erased";
}

/** Whether nothing of a record may be changed after a change, until that is lifted. */
export function isRestricting(type: string): boolean {
  const kind = kindOf(type);
  return kind === "restricted" || kind === "hold_set";
}

/** What a change is called: `Registered`, `Changed`, `Removed`; an unknown type by its own name. */
export function changeTitle(type: string): string {
  const kind = kindOf(type);
  return kind ? TITLES[kind] : type;
}

/** What to call whoever made a change; by the subject alone where the name is not known, or not for this reader. */
export function actorName(actor: Actor | null): string {
  return actor?.name || actor?.sub || "Unknown";
}

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

/** Whether two JSON values are the same, in whatever order their members stand. */
function sameJson(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) return false;
  if (Array.isArray(a) !== Array.isArray(b)) return false;
  const names = Object.keys(a);
  return (
    names.length === Object.keys(b).length &&
    names.every((name) => Object.hasOwn(b, name) && sameJson(a[name as never], b[name as never]))
  );
}
