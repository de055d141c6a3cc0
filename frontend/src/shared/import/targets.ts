import { type FieldSpec, wireName } from "@/shared/form";
import { capitalized } from "@/shared/format/capitalized";
import type { RecordDefinition } from "@/shared/records";
import type { FieldDeclaration } from "@/shared/records/fields";
import { decomposed } from "@/shared/table/search";

/** A possible target of a column: a field, or the record's id. */
export interface Target {
  /** The field's form name. */
  name: string;
  label: string;
  /** Undefined for an id that the form does not ask for. */
  field: FieldDeclaration | undefined;
}

export const ID = "id";

/** Return the possible targets in the form's order, the id first. */
export function targetsOf({ api, fields }: Pick<RecordDefinition, "api" | "fields">): readonly Target[] {
  const asked = fields
    .filter(({ readOnly }) => !readOnly)
    .map((field): Target => ({ name: field.name, label: field.label, field }));
  if (asked.some(({ name }) => name === ID)) return asked;
  return [{ name: ID, label: `${capitalized(api.noun)} ID`, field: undefined }, ...asked];
}

/** Header of the reasons in a file of refused rows, which an import ignores. */
export const REASON = "Why it was refused";

/** Beginning of the first cell in the template's description, which an import skips. */
export const LEFT_OUT = "(left out)";

/**
 * Match columns to targets: by the stored choices, then by any name of a field on the screens or in the API. Each target
 * is used once.
 * @param remembered names of fields by {@link plain} header; empty for an ignored column.
 */
export function matchColumns(
  headers: readonly string[],
  targets: readonly Target[],
  remembered: ReadonlyMap<string, string> = new Map(),
): readonly (string | null)[] {
  const named = namesOf(targets);
  const known = new Set(targets.map(({ name }) => name));
  const taken = new Set<string>();
  return headers.map((header) => {
    const text = plain(header);
    if (text === "" || text === plain(REASON)) return null;
    const found = remembered.get(text) ?? named.get(text) ?? "";
    if (!known.has(found) || taken.has(found)) return null;
    taken.add(found);
    return found;
  });
}

/** Normalise a header: remove case, accents, spaces and punctuation. */
export function plain(text: string): string {
  return decomposed(text, "NFKD")
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]/gu, "");
}

/** Return targets by all their names; labels take precedence. */
function namesOf(targets: readonly Target[]): ReadonlyMap<string, string> {
  const named = new Map<string, string>();
  const ways: readonly ((target: Target) => readonly (string | undefined)[])[] = [
    ({ label }) => [label],
    ({ name, field }) => [name, field && wireName(field)],
    ({ field }) => [field?.column?.header, field?.column?.id, field?.listName, field && lastName(field)],
  ];
  for (const way of ways) {
    for (const target of targets) {
      for (const name of way(target)) {
        const text = plain(name ?? "");
        if (text !== "" && !named.has(text)) named.set(text, target.name);
      }
    }
  }
  return named;
}

function lastName(field: FieldSpec): string | undefined {
  return wireName(field).split(".").at(-1);
}
