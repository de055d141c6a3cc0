import type { Wire } from "@/shared/api/wireTypes.gen";
import { type FieldSpec, shownText } from "@/shared/form/fields";

/** A person as the event log identifies them. */
export type Actor = Wire<"Actor">;

/** Placeholder for a value masked for this reader. */
export const HIDDEN_VALUE = Symbol("hidden");

/** Placeholder for an erased value. */
export const ERASED_VALUE = Symbol("erased");

/** Placeholder for a value that was not requested. */
export const UNKNOWN_VALUE = Symbol("unknown");

/** Names of an answer's members without a value: fields, and members such as `reason`. */
export interface Masked {
  /** Masked for this reader. */
  masked?: readonly string[] | undefined;
  /** Erased for everyone. */
  erased?: readonly string[] | undefined;
}

/** A field's values before and after a change; dots in the name lead into objects. */
export type FieldChange = Wire<"FieldChange">;

/** A change in a record's history. */
export type Change = Wire<"VersionChange">;

/** A change in the audit trail. */
export type AuditedChange = Wire<"AuditChange">;

export type ChangeKind = keyof typeof TITLES;

const TITLES = {
  registered: "Registered",
  details_changed: "Changed",
  removed: "Removed",
  merged: "Merged",
  merged_into: "Merged into",
  restricted: "Restricted",
  hold_set: "Legal hold",
  restriction_lifted: "Restriction lifted",
  erased: "Erased",
  reminder_acknowledged: "Reminder acknowledged",
  possible_duplicate_dismissed: "Not a duplicate",
  delivery_given_up: "Delivery given up",
  delivery_resumed: "Delivery resumed",
} as const;

export const CHANGE_KINDS = Object.keys(TITLES) as ChangeKind[];

/** Return the kind of an event type, or undefined for a type that this version does not know. */
export function kindOf(type: string): ChangeKind | undefined {
  const kind = type.slice(type.indexOf(".") + 1);
  return kind in TITLES ? (kind as ChangeKind) : undefined;
}

/** Return whether the record no longer exists after the change. */
export function isEnd(type: string): boolean {
  const kind = kindOf(type);
  return kind === "removed" || kind === "erased" || kind === "merged_into";
}

/** Return whether the change blocks other changes until the restriction is lifted. */
export function isRestricting(type: string): boolean {
  const kind = kindOf(type);
  return kind === "restricted" || kind === "hold_set";
}

/** Return `Registered`, `Changed`, `Removed` and so on; for an unknown type its own name. */
export function changeTitle(type: string): string {
  const kind = kindOf(type);
  return kind ? TITLES[kind] : type;
}

/** Return the name to show for a person; the subject where the name is missing or masked. */
export function actorName(actor: Actor | null): string {
  return actor?.name || actor?.sub || "Unknown";
}

/** Fields as screens show them, by wire name; dots lead into objects. */
export type FieldLabels = ReadonlyMap<string, Pick<FieldSpec, "label" | "textOf" | "isMany">>;

/** Return a field's label; a field without one is shown by its wire name. */
export function labelOf(labels: FieldLabels, field: string): string {
  const known = labels.get(field);
  if (known !== undefined) return known.label;
  const dot = field.indexOf(".");
  const whole = dot < 0 ? undefined : labels.get(field.slice(0, dot));
  return whole === undefined ? field : `${whole.label} · ${field.slice(dot + 1)}`;
}

/** Return a field's value as lists and forms show it: a code as words, several texts as one. */
export function shownValue<Value>(labels: FieldLabels, field: string, value: Value): Value | string {
  const known = labels.get(field);
  if (known && Array.isArray(value))
    return value.map((one) => shownText({ ...known, isMany: false }, String(one))).join(", ");
  const isText = typeof value === "string" || typeof value === "number";
  return isText && known?.textOf ? shownText(known, String(value)) : value;
}

/**
 * Prepare changes for display: split an object's change into its members, and replace values that are masked by
 * {@link HIDDEN_VALUE} and erased ones by {@link ERASED_VALUE}.
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

/** Compare two JSON values, ignoring the order of members. */
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
