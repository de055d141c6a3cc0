import type { ApiError } from "@/shared/api/client";

/** A change that somebody made to a record, as a refusal with status 412 tells it: without values. */
export interface Change {
  version: number;
  /** RFC 3339. */
  moment: string;
  actor: { sub: string; name?: string | null };
  /** The server's names of the fields that changed. */
  fields: readonly string[];
}

/** What has become of a record since the version that a refused change built on; the oldest first. */
export function changesSince(refusal: ApiError): readonly Change[] {
  const listed = refusal.problem.changed_since;
  return Array.isArray(listed) ? listed.filter(isChange) : [];
}

/** The entity tag of the record with all the changes that a refusal tells of. */
export function currentETag(refusal: ApiError): string {
  return `"${refusal.problem.current_version}"`;
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
