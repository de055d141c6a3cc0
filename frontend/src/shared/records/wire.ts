import { type FormValues, wireName } from "@/shared/form";
import { formatJson } from "@/shared/form/jsonText";
import { numberOrNull } from "@/shared/form/numberText";
import { cellName, type FieldDeclaration } from "./fields";

/** Reads a form's values out of a record. What the record has not got becomes empty text. */
export function readValues(fields: readonly FieldDeclaration[], wire: object): FormValues {
  return Object.fromEntries(
    fields.map((field) => [field.name, textOf(field, [wireName(field), field.listName], wire)]),
  );
}

/** Reads a list's row out of a record; one that has just been saved has not the list's names. */
export function readRow(
  fields: readonly FieldDeclaration[],
  wire: object,
): Record<string, string | number | null> {
  return Object.fromEntries(
    fields.map((field) => {
      const text = textOf(field, [field.listName, wireName(field)], wire);
      return [cellName(field), field.kind === "number" ? numberOrNull(text) : text];
    }),
  );
}

/** Writes a form's values under their wire names; of an object that has some of them, the rest is kept. */
export function writeRecord(
  fields: readonly FieldDeclaration[],
  values: FormValues,
  loaded: object | undefined,
): Record<string, unknown> {
  const body: Record<string, unknown> = {};
  for (const field of fields.filter(isSent)) {
    const path = wireName(field);
    const value = sentAs(field, values[field.name] ?? "", valueAt(loaded, path));
    const [name = "", member] = path.split(".");
    const whole = (body[name] ?? valueAt(loaded, name)) as object | undefined;
    body[name] = member === undefined ? value : { ...whole, [member]: value };
  }
  return body;
}

function isSent({ readOnly = false, sent = !readOnly }: FieldDeclaration): boolean {
  return sent;
}

function sentAs({ kind, required, write }: FieldDeclaration, text: string, loaded: unknown): unknown {
  if (write) return write(text, loaded);
  if (kind === "number") return numberOrNull(text);
  return text === "" && required === undefined ? null : text;
}

/** What a record has at the first of some places where it has anything, as text. */
function textOf(
  { kind, read }: FieldDeclaration,
  paths: readonly (string | undefined)[],
  wire: object,
): string {
  const values = paths.map((path) => path && valueAt(wire, path));
  const value = values.find((one) => one !== undefined && one !== null);
  if (read) return read(value);
  if (kind === "json") return formatJson(value);
  // RFC 3339, cut to date and minute (specification, section 9).
  return kind === "timestamp" ? asText(value).slice(0, 16) : asText(value);
}

/** A value as text; empty where there is none, or none that is text or a number. */
function asText(value: unknown): string {
  return typeof value === "string" || typeof value === "number" ? String(value) : "";
}

function valueAt(record: unknown, path: string): unknown {
  return path
    .split(".")
    .reduce<unknown>((value, name) => (value as Record<string, unknown> | null | undefined)?.[name], record);
}
