import type { FormValues } from "@/shared/form";
import { parseJsonObject } from "@/shared/form/jsonText";
import { hasControls, NO_CONTROLS } from "@/shared/format/controls";
import type { FieldDeclaration } from "@/shared/records/fields";
import { patchOf } from "@/shared/records/wire";
import { isSpreadsheetError, type Reading, typedText } from "./cellText";
import type { Row } from "./reading/tableFile";
import { ID, type Target } from "./targets";

/** Why a field was refused; without a field, it is the whole row. */
export interface Problem {
  /** What people call the field. */
  label: string | undefined;
  message: string;
}

/** A row as it is understood. */
export interface ReadRow {
  number: number;
  id: string | null;
  /** What the file says of the record's fields, by the form's names. */
  texts: FormValues;
  /** The same for the server: a merge patch (RFC 7396). */
  values: Record<string, unknown>;
  /** Why it need not be sent. */
  problems: readonly Problem[];
}

/** @param columns what each column is. */
export function readRow(
  { number, cells }: Row,
  columns: readonly (Target | undefined)[],
  reading: Reading,
): ReadRow {
  const row: ReadRow = { number, id: null, texts: {}, values: {}, problems: [] };
  const problems: Problem[] = [];
  const told: [FieldDeclaration, string][] = [];
  for (const [index, target] of columns.entries()) {
    if (target === undefined) continue;
    const { name, label, field } = target;
    const text = typedText(cells[index] ?? "", field, reading);
    const message = isSpreadsheetError(text)
      ? `The spreadsheet shows an error here: ${text}`
      : brokenRule(text, field);
    if (message !== undefined) problems.push({ label, message });
    else if (name === ID) row.id = text === "" ? null : text;
    else if (field && (text !== "" || reading.emptiesFields)) told.push([field, text]);
  }
  const id = columns.find((target) => target?.name === ID)?.field;
  if (row.id === null && id?.required && problems.length === 0) {
    problems.push({ label: id.label, message: id.required });
  }
  for (const [field, text] of told) row.texts[field.name] = text;
  return { ...row, values: patchOf(told), problems };
}

/** What the form would say; what is missing and what an address must be, the server says. */
function brokenRule(text: string, field: FieldDeclaration | undefined): string | undefined {
  if (hasControls(text)) return NO_CONTROLS;
  if (field === undefined || text === "") return undefined;
  const broken = field.rules?.find(({ holds }) => !holds(text));
  if (broken) return broken.message;
  if (field.kind !== "json") return undefined;
  const value = parseJsonObject(text);
  if (value === undefined) return "Must be a JSON object";
  return hasControls(value) ? NO_CONTROLS : undefined;
}
