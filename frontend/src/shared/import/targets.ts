import { type FieldSpec, wireName } from "@/shared/form";
import { capitalized } from "@/shared/format/capitalized";
import type { RecordDefinition } from "@/shared/records";
import type { FieldDeclaration } from "@/shared/records/fields";
import { decomposed } from "@/shared/table/search";

/** What a column of a file can be: a field of the record, or its id. */
export interface Target {
  /** The form's name of the field. */
  name: string;
  label: string;
  /** Undefined: the id, where the form does not ask for it. */
  field: FieldDeclaration | undefined;
}

export const ID = "id";

/** What the columns of a file about a kind of record can be, in the form's order, and its id first. */
export function targetsOf({ api, fields }: Pick<RecordDefinition, "api" | "fields">): readonly Target[] {
  const asked = fields
    .filter(({ readOnly }) => !readOnly)
    .map((field): Target => ({ name: field.name, label: field.label, field }));
  if (asked.some(({ name }) => name === ID)) return asked;
  return [{ name: ID, label: `${capitalized(api.noun)} ID`, field: undefined }, ...asked];
}

/** The reason's column of a file of refused rows: it is no field, and left out when the file comes back. */
export const REASON = "Why it was refused";

/** The first cell of the template's example begins so; such rows are left out. */
export const LEFT_OUT = "(left out)";

/**
 * Finds which field each column of a file is: by what was chosen last for a column of that name, or by any name that
 * the field has, on the screens or at the server. Each field is taken once.
 * @param remembered names of fields by {@link plain} header; empty where the column was left out.
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

/** A header without what people write in different ways: case, accents, spaces, punctuation. */
export function plain(text: string): string {
  return decomposed(text, "NFKD")
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]/gu, "");
}

/** Fields by each of their names; where two have the same one, what the form calls it goes first. */
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
