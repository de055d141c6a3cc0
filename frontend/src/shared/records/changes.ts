import type { ApiError } from "@/shared/api/client";

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
