import type { FormValues } from "@/shared/form";
import { parseJsonObject } from "@/shared/form/jsonText";
import { warningOf } from "@/shared/form/warnings";
import { hasControls, NO_CONTROLS } from "@/shared/format/controls";
import type { FieldDeclaration } from "@/shared/records/fields";
import { patchOf } from "@/shared/records/wire";
import { ERASED_TEXT, HIDDEN_TEXT } from "@/shared/ui";
import { type Reading, typedText } from "./cellText";
import type { Row } from "./parsers/tableFile";
import { ID, type Target } from "./targets";

/** Why a field or, without a label, the row is refused. */
export interface Problem {
  /** The field's label. */
  label?: string;
  message: string;
}

/** A parsed row. */
export interface ReadRow {
  number: number;
  id: string | null;
  /** Texts by form name. */
  texts: FormValues;
  /** The merge patch (RFC 7396). */
  values: Record<string, unknown>;
  /** Why the row is not sent. */
  problems: readonly Problem[];
  /** Cells that may differ from their source, or are probably wrong. */
  warnings: readonly Problem[];
}

/** @param columns the target of each column. */
export function readRow(
  { number, cells, numbers }: Row,
  columns: readonly (Target | undefined)[],
  reading: Reading,
): ReadRow {
  let id: string | null = null;
  const problems: Problem[] = [];
  const warnings: Problem[] = [];
  const changes: [FieldDeclaration, string][] = [];
  for (const [index, target] of columns.entries()) {
    if (target === undefined) continue;
    const { name, label, field } = target;
    const isMonthFirst = reading.monthFirst.has(index);
    const typed = typedText(cells[index] ?? "", field, isMonthFirst, numbers?.get(index));
    const { text, warning } = typed;
    // A download has these texts instead of masked and erased values.
    if (field && name !== ID && (text === HIDDEN_TEXT || text === ERASED_TEXT)) continue;
    const message = typed.problem ?? brokenRule(text, field);
    const doubt = warning ?? (field && warningOf(field)?.(text));
    if (doubt !== undefined) warnings.push({ label, message: doubt });
    if (message !== undefined) problems.push({ label, message });
    else if (name === ID) id = text || null;
    else if (field && (text !== "" || reading.clearsFields)) changes.push([field, text]);
  }
  const idField = columns.find((target) => target?.name === ID)?.field;
  if (id === null && idField?.required && problems.length === 0) {
    problems.push({ label: idField.label, message: idField.required });
  }
  const texts = Object.fromEntries(changes.map(([field, text]) => [field.name, text]));
  return { number, id, texts, values: patchOf(changes), problems, warnings };
}

/** Return the form's message for a text; required values and addresses are left to the server. */
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
