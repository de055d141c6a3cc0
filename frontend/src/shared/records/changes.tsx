import type { ApiError } from "@/shared/api/client";
import { useAuthStore } from "@/shared/auth/authStore";
import { type FormValues, wireName } from "@/shared/form";
import { MomentText } from "@/shared/format/MomentText";
import { ERASED_VALUE, type FieldChange, HIDDEN_VALUE, UNKNOWN_VALUE } from "@/shared/history";
import type { Identified, RecordDefinition } from "./definition";

/** A change by someone else, as listed without values in a 412 answer. */
export interface ConcurrentChange {
  version: number;
  type?: string;
  /** RFC 3339. */
  moment: string;
  actor: { sub: string; name?: string | null };
  /** Wire names of the changed fields. */
  fields: readonly string[];
}

/** Return the valid changes in a list from the server, as a 412 answer has, oldest first. */
export function changesIn(listed: unknown): readonly ConcurrentChange[] {
  return (Array.isArray(listed) ? listed : []).filter((item: unknown): item is ConcurrentChange => {
    const { moment, actor, fields } = (item ?? {}) as Partial<ConcurrentChange>;
    return typeof moment === "string" && typeof actor?.sub === "string" && Array.isArray(fields);
  });
}

/** Return whether an answer has exactly the changes that a 412 answer lists. */
export function isCurrent(etag: string | undefined, refusal: ApiError): boolean {
  return etag !== undefined && versionOf(etag) === refusal.problem.current_version;
}

export function versionOf(etag: string | undefined): number | undefined {
  const text = /^"(\d+)[-"]/.exec(etag ?? "")?.[1];
  return text === undefined ? undefined : Number(text);
}

/** Return the latest change of a field by wire name; an object changes as a whole. */
export function lastChangeOf(
  wireName: string,
  changes: readonly ConcurrentChange[],
): ConcurrentChange | undefined {
  const [field = wireName] = wireName.split(".");
  return changes.findLast(({ fields }) => fields.includes(field));
}

/** A change's author and time: `Rohan Gupta, 21 Nov 2026, 1:05 pm`; for the user `you, elsewhere`. */
export function ChangeAuthor({ change }: { change: ConcurrentChange }) {
  const ownSub = useAuthStore(({ user }) => user?.sub);
  return (
    <>
      {authorName(change, ownSub)}, <MomentText moment={change.moment} />
    </>
  );
}

export function authorName({ actor }: ConcurrentChange, ownSub: string | undefined): string {
  return actor.sub === ownSub ? "you, elsewhere" : (actor.name ?? actor.sub);
}

/** A record's change, as in a batch answer. */
interface Changing {
  id: string | null;
  /** Wire names of the fields that change. */
  fields: readonly string[];
  /** New values by form name. */
  texts: FormValues;
}

/** Return a function that lists the old and new values of records; unknown records have no old values. */
export function changeReader({ api, fields }: RecordDefinition, records: readonly Identified[]) {
  const known = new Map(records.map((record) => [record.id, record]));
  return ({ id, fields: changed, texts }: Changing): readonly FieldChange[] => {
    const record = known.get(id ?? "");
    const before = record && api.toValues(record);
    const hidden = record && api.hiddenIn(record);
    return fields.flatMap((field): FieldChange[] => {
      const to = texts[field.name];
      const wire = wireName(field);
      if (to === undefined || !changed.some((name) => wire === name || wire.startsWith(`${name}.`)))
        return [];
      if (hidden?.has(field.name)) {
        const isErased = record?.erased?.includes(wire) ?? false;
        return [{ field: wire, from: isErased ? ERASED_VALUE : HIDDEN_VALUE, to }];
      }
      const from = before ? (before[field.name] ?? null) : UNKNOWN_VALUE;
      return from === to ? [] : [{ field: wire, from, to }];
    });
  };
}
