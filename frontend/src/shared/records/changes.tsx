import type { ApiError } from "@/shared/api/client";
import { useAuthStore } from "@/shared/auth/authStore";
import { type FormValues, wireName } from "@/shared/form";
import { MomentText } from "@/shared/format/MomentText";
import { ERASED_VALUE, type FieldChange, HIDDEN_VALUE, UNKNOWN_VALUE } from "@/shared/history";
import type { Identified, RecordDefinition } from "./definition";

/** A change that somebody made to a record, as a refusal with status 412 tells it: without values. */
export interface Change {
  version: number;
  type?: string;
  /** RFC 3339. */
  moment: string;
  actor: { sub: string; name?: string | null };
  /** The server's names of the fields that changed. */
  fields: readonly string[];
}

/** What has become of a record since the version that a refused change built on; the oldest first. */
export function changesSince(refusal: ApiError): readonly Change[] {
  return changesIn(refusal.problem.changed_since);
}

/** The same of what the server lists. */
export function changesIn(listed: unknown): readonly Change[] {
  return Array.isArray(listed) ? listed.filter(isChange) : [];
}

/** Whether an answer shows the record with all the changes that a refusal tells of, and with no others. */
export function isCurrent(etag: string | undefined, refusal: ApiError): boolean {
  return etag !== undefined && versionOf(etag) === refusal.problem.current_version;
}

/** The version that a record's entity tag names; what else it says is for the server. */
export function versionOf(etag: string | undefined): number | undefined {
  const text = /^"(\d+)[-"]/.exec(etag ?? "")?.[1];
  return text === undefined ? undefined : Number(text);
}

/** The latest change to a field, by its wire name; dots lead into objects, which change as a whole. */
export function lastChangeOf(wireName: string, changes: readonly Change[]): Change | undefined {
  const [field = wireName] = wireName.split(".");
  return changes.findLast(({ fields }) => fields.includes(field));
}

function isChange(item: unknown): item is Change {
  const { moment, actor, fields } = (item ?? {}) as Partial<Change>;
  return typeof moment === "string" && typeof actor?.sub === "string" && Array.isArray(fields);
}

/** Who made a change and when: `Rohan Gupta, 21 Nov 2026, 1:05 pm`; oneself is `you, elsewhere`. */
export function ChangeAuthor({ change }: { change: Change }) {
  const ownSub = useAuthStore(({ user }) => user?.sub);
  return (
    <>
      {authorName(change, ownSub)}, <MomentText moment={change.moment} />
    </>
  );
}

/** What to call whoever made a change. */
export function authorName({ actor }: Change, ownSub: string | undefined): string {
  return actor.sub === ownSub ? "you, elsewhere" : (actor.name ?? actor.sub);
}

/** What changes of a record, as a batch's answer tells it. */
interface Changing {
  id: string | null;
  /** The server's names of the fields that change. */
  fields: readonly string[];
  /** What they become, by the form's names. */
  texts: FormValues;
}

/** Tells what changes of records, by those that are at hand; of others, what they become. */
export function changeTeller(
  { api, fields }: Pick<RecordDefinition, "api" | "fields">,
  records: readonly Identified[],
): (changing: Changing) => readonly FieldChange[] {
  const known = new Map(records.map((record) => [record.id, record]));
  return ({ id, fields: changed, texts }) => {
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
