/** Who did something; as the log has them. */
export interface Actor {
  /** The identity provider's subject: what tells people apart. */
  sub: string;
  name: string;
}

/** A value as the server keeps it: anything JSON has. */
export type WireValue = unknown;

/** One field's values before and after a change. */
export interface FieldChange {
  /** The server's name; dots lead into objects. */
  field: string;
  from: WireValue;
  to: WireValue;
}

/** One change of a record, as the server tells it. */
export interface Change {
  /** In the log. */
  position: number;
  /** Of the record, after the change. */
  version: number;
  /** Of the record, after the change: what a further change builds on. */
  etag: string;
  /** e.g. `driver.details_changed`. */
  type: string;
  /** RFC 3339 in UTC, to the microsecond. */
  moment: string;
  /** Null where the log cannot tell. */
  actor: Actor | null;
  request_id: string | null;
  reason: string | null;
  changes: readonly FieldChange[];
}

/** One change of any record. */
export interface AuditedChange extends Omit<Change, "etag"> {
  /** The kind of record, e.g. `driver`. */
  entity: string;
  id: string;
}

/** A part of a history or of the audit trail. */
export interface ChangePage<C = Change> {
  content: readonly C[];
  /** `cursor` of the next part; null after the last. */
  next: string | null;
}

/** What a change did to the record as a whole. */
export type ChangeKind = "registered" | "details_changed" | "removed";

const TITLES: Readonly<Record<ChangeKind, string>> = {
  registered: "Registered",
  details_changed: "Changed",
  removed: "Removed",
};

/** What a change did; undefined for a type that this version of the screens does not know. */
export function kindOf(type: string): ChangeKind | undefined {
  const kind = type.slice(type.indexOf(".") + 1);
  return kind in TITLES ? (kind as ChangeKind) : undefined;
}

/** What a change is called: `Registered`, `Changed`, `Removed`; an unknown type by its own name. */
export function changeTitle(type: string): string {
  const kind = kindOf(type);
  return kind ? TITLES[kind] : type;
}

/** What to call whoever made a change. */
export function actorName(actor: Actor | null): string {
  return actor?.name || actor?.sub || "Unknown";
}
