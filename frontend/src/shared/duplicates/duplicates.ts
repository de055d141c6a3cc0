import { apiClient } from "@/shared/api/client";
import type { Wire } from "@/shared/api/wireTypes.gen";
import type { Permission } from "@/shared/auth/permissions";
import { type FormValues, wireName } from "@/shared/form";
import type { RecordDefinition } from "@/shared/records/definition";
import type { StatusTone } from "@/shared/ui";

/** A record that is similar to a row's values. */
export type Suggestion = Wire<"Suggestion">;

/** Two records that may be the same. */
export type Pair = Wire<"PossibleDuplicate">;

/** How alike two records are, in all and by field. */
export type Likeness = Pick<Suggestion, "score" | "exact" | "fields">;

export const DUPLICATES_API = "/api/v1/possible-duplicates";

/** Return whether a cache key is a page of the report. */
export function isDuplicatesPath(key: unknown): boolean {
  return typeof key === "string" && key.startsWith(DUPLICATES_API);
}

/** Return whether the server compares records of a kind. */
export function isCompared({ fields }: RecordDefinition): boolean {
  return fields.some(({ compared }) => compared);
}

/** Return the permissions to see possible duplicates of a kind. */
export function duplicatePermissions({ api }: RecordDefinition): readonly Permission[] {
  return api.noun === "driver" ? ["fleet:read", "personal:read"] : ["fleet:read"];
}

/** Return the values of compared fields that are not empty, by wire name. */
export function comparedValues(definition: RecordDefinition, texts: FormValues): FormValues {
  const compared = definition.fields.filter((field) => field.compared);
  const given = compared.map((field) => [wireName(field), texts[field.name]?.trim() ?? ""]);
  return Object.fromEntries(given.filter(([, text]) => text !== ""));
}

/** The API's limit of rows in a request. */
export const MOST_ROWS = 100;

interface ComparedRow {
  /** The record that has the values, which is left out. */
  id: string | null;
  values: FormValues;
}

/** Find the records that are similar to each row's values, likeliest first. */
export async function findSimilar(
  { api }: RecordDefinition,
  rows: readonly ComparedRow[],
  signal: AbortSignal,
): Promise<readonly (readonly Suggestion[])[]> {
  const body = { type: api.noun, rows };
  return (await apiClient.post<Wire<"Suggestions">>(DUPLICATES_API, body, { signal })).data.rows;
}

/** Return a score in words: `Very likely, 93 %`. */
export function scoreText({ score, exact }: Likeness): string {
  const words = score >= 0.95 ? "Very likely" : score >= 0.85 ? "Likely" : "Possible";
  return `${exact ? "Same unique value" : words}, ${percent(exact ? score : Math.min(score, 0.99))}`;
}

export function toneOf({ score, exact }: Likeness): StatusTone {
  if (exact) return "danger";
  return score >= 0.85 ? "warning" : "neutral";
}

/** Return the names of both records: `Ravi Kumar and Ravi Kumr`. */
export function titleOf({ first, second }: Pair): string {
  return `${first.name || first.id} and ${second.name || second.id}`;
}

export function percent(share: number): string {
  return `${Math.floor(share * 100)} %`;
}

/** Fields that are less alike are different. */
const SIMILAR = 0.75;

/** Return how alike a field's values are. */
export function likenessOf({
  likeness,
  first,
  second,
}: Likeness["fields"][number]): "same" | "similar" | "different" {
  // Of an address, the server compares the city too.
  if (likeness >= 1 || first === second) return "same";
  return likeness >= SIMILAR ? "similar" : "different";
}
