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

/** Normalise a header: remove case, accents, spaces and punctuation. */
export function plain(text: string): string {
  return decomposed(text, "NFKD")
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]/gu, "");
}
