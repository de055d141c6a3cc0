import { type FormValues, type HiddenNames, NOTHING_HIDDEN, wireName } from "@/shared/form";
import { formatJson } from "@/shared/form/jsonText";
import { numberOrNull } from "@/shared/form/numberText";
import { cellName, type FieldDeclaration, type Identified } from "./fields";

/** Reads a form's values out of records. What a record has not got becomes empty text. */
export function valuesReader(fields: readonly FieldDeclaration[]): (wire: object) => FormValues {
  return reader(fields.map((field) => [field.name, textReader(field, [wireName(field), field.listName])]));
}

/** A moment as RFC 3339 has it, cut to date and minute (product.md: constants). */
export function toMinute(moment: string): string {
  return moment.slice(0, "2026-11-21T04:10".length);
}

/**
 * Reads a list's rows out of records; one that has just been saved has not the list's names. Moments stay whole: they
 * are sorted by.
 */
export function rowReader(
  fields: readonly FieldDeclaration[],
): (wire: object) => Record<string, string | number | null> {
  return reader<string | number | null>(
    fields.map((field) => {
      const kind = field.kind === "timestamp" ? "text" : field.kind;
      const read = textReader({ ...field, kind }, [field.listName, wireName(field)]);
      return [cellName(field), kind === "number" ? (wire) => numberOrNull(read(wire)) : read];
    }),
  );
}

/** Reads each of some members. What can be known of the fields is found out once: there are lists of thousands. */
function reader<Value>(
  members: readonly (readonly [name: string, read: (wire: object) => Value])[],
): (wire: object) => Record<string, Value> {
  return (wire) => {
    const values: Record<string, Value> = {};
    for (const [name, read] of members) values[name] = read(wire);
    return values;
  };
}

/**
 * Reads which of some fields a record does not tell: the server keeps them back, or they are erased.
 * @param nameOf what they are called on our side.
 */
export function hiddenReader<Field extends FieldDeclaration>(
  fields: readonly Field[],
  nameOf: (field: Field) => string,
): (wire: Identified) => HiddenNames {
  let last = { masked: "", hidden: NOTHING_HIDDEN };
  return (wire) => {
    const masked = [...(wire.masked ?? []), ...(wire.erased ?? [])];
    if (masked.length === 0) return NOTHING_HIDDEN;
    const names = masked.join();
    // It depends on the reader, and hardly ever on the record: thousands in a row lack the same.
    if (last.masked !== names) {
      const isMasked = (path: string | undefined) =>
        path !== undefined && masked.some((name) => path === name || path.startsWith(`${name}.`));
      const kept = fields.filter((field) => isMasked(wireName(field)) || isMasked(field.listName));
      last = { masked: names, hidden: new Set(kept.map(nameOf)) };
    }
    return last.hidden;
  };
}

/**
 * Writes a form's values under their wire names; of an object that has some of them, the rest is kept, be it what the
 * server has or what another field says. What is hidden is left out: the server keeps what it has.
 */
export function writeRecord(
  fields: readonly FieldDeclaration[],
  values: FormValues,
  loaded: object | undefined,
  hidden: HiddenNames,
): Record<string, unknown> {
  const body: Record<string, unknown> = {};
  const sent = fields.filter((field) => isSent(field) && !hidden.has(field.name));
  for (const field of sent.toSorted((one, other) => depthOf(one) - depthOf(other))) {
    const value = sentAs(field, values[field.name] ?? "", valueAt(loaded, wireName(field)));
    put(body, field, value, loaded);
  }
  return body;
}

/** The merge patch (RFC 7396) that sets fields to texts; empty text empties a field. */
export function patchOf(told: readonly (readonly [FieldDeclaration, string])[]): Record<string, unknown> {
  const patch: Record<string, unknown> = {};
  for (const [field, text] of told.toSorted(([one], [other]) => depthOf(one) - depthOf(other))) {
    const { write, ...plain } = field;
    put(patch, field, sentAs(text === "" ? plain : field, text, undefined), undefined);
  }
  return patch;
}

/** Objects are written before their members. */
function depthOf(field: FieldDeclaration): number {
  return wireName(field).split(".").length;
}

/** Sets a member of a body, or of an object in it, which keeps its other members. */
function put(body: Record<string, unknown>, field: FieldDeclaration, value: unknown, loaded: unknown): void {
  const [name = "", member] = wireName(field).split(".");
  const whole = (name in body ? body[name] : valueAt(loaded, name)) as object | null | undefined;
  if (member === undefined) body[name] = value;
  else if (value !== undefined) body[name] = { ...whole, [member]: value };
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
function textReader(
  { kind, read }: FieldDeclaration,
  paths: readonly (string | undefined)[],
): (wire: object) => string {
  const [first, second] = [...new Set(paths)].filter((path) => path !== undefined).map(valueReader);
  const valueIn = (wire: object) => first?.(wire) ?? second?.(wire);
  if (read) return (wire) => read(valueIn(wire));
  if (kind === "json") return (wire) => formatJson(valueIn(wire));
  if (kind === "timestamp") return (wire) => toMinute(asText(valueIn(wire)));
  return (wire) => asText(valueIn(wire));
}

/** A value as text; empty where there is none, or none that is text or a number. */
function asText(value: unknown): string {
  return typeof value === "string" || typeof value === "number" ? String(value) : "";
}

function valueAt(record: unknown, path: string): unknown {
  return valueReader(path)(record);
}

function valueReader(path: string): (record: unknown) => unknown {
  const [name = "", ...below] = path.split(".");
  const member = (value: unknown, at: string) => (value as Record<string, unknown> | null | undefined)?.[at];
  if (below.length === 0) return (record) => member(record, name);
  return (record) => below.reduce(member, member(record, name));
}
