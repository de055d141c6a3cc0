import { type FormValues, type HiddenNames, listOf, NOTHING_HIDDEN, wireName } from "@/shared/form";
import { formatJson } from "@/shared/form/jsonText";
import { numberOrNull } from "@/shared/form/numberText";
import { cellName, type FieldDeclaration, type Identified } from "./fields";

/** Return a function that converts a record to a form's values; missing values become empty text. */
export function valuesReader(fields: readonly FieldDeclaration[]): (wire: object) => FormValues {
  return reader(fields.map((field) => [field.name, textReader(field, [wireName(field), field.listName])]));
}

/** Cut an RFC 3339 moment to date and minute (specification: constants). */
export function toMinute(moment: string): string {
  return moment.slice(0, "2026-11-21T04:10".length);
}

/**
 * Return a function that converts a record to a list's row. A record that was just saved has the record's names, not the
 * list's. Moments are not cut, because rows are sorted by them.
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

/** Return a function that reads members; readers are prepared once, because lists have thousands of records. */
function reader<Value>(members: readonly (readonly [name: string, read: (wire: object) => Value])[]) {
  return (wire: object) => {
    const values: Record<string, Value> = {};
    for (const [name, read] of members) values[name] = read(wire);
    return values;
  };
}

/** Return a function that lists a record's masked and erased fields by `nameOf`. */
export function hiddenReader<Field extends FieldDeclaration>(
  fields: readonly Field[],
  nameOf: (field: Field) => string,
): (wire: Identified) => HiddenNames {
  let last = { masked: "", hidden: NOTHING_HIDDEN };
  return (wire) => {
    const masked = [...(wire.masked ?? []), ...(wire.erased ?? [])];
    if (masked.length === 0) return NOTHING_HIDDEN;
    const names = masked.join();
    // Cached: nearly all records have the same masked fields.
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
 * Convert a form's values to a request body. Members of objects that the form does not have are copied from the loaded
 * record. Masked fields are left out: the server keeps them.
 */
export function writeRecord(
  fields: readonly FieldDeclaration[],
  values: FormValues,
  loaded: object | undefined,
  hidden: HiddenNames,
): Record<string, unknown> {
  const body: Record<string, unknown> = {};
  const sent = fields.filter(
    ({ name, readOnly = false, sent: isSent = !readOnly }) => isSent && !hidden.has(name),
  );
  for (const field of sent.toSorted((one, other) => depthOf(one) - depthOf(other))) {
    const value = sentAs(field, values[field.name] ?? "", valueReader(wireName(field))(loaded));
    put(body, field, value, loaded);
  }
  return body;
}

/** Return the merge patch (RFC 7396) that sets fields to texts; empty text clears a field. */
export function patchOf(changes: readonly (readonly [FieldDeclaration, string])[]): Record<string, unknown> {
  const patch: Record<string, unknown> = {};
  for (const [field, text] of changes.toSorted(([one], [other]) => depthOf(one) - depthOf(other))) {
    const { write, ...plain } = field;
    put(patch, field, sentAs(text === "" ? plain : field, text, undefined), undefined);
  }
  return patch;
}

/** Objects are written before their members. */
function depthOf(field: FieldDeclaration): number {
  return wireName(field).split(".").length;
}

/** Set a member of a body, or of an object in the body. */
function put(body: Record<string, unknown>, field: FieldDeclaration, value: unknown, loaded: unknown): void {
  const [name = "", member] = wireName(field).split(".");
  const whole = (name in body ? body[name] : valueReader(name)(loaded)) as object | null | undefined;
  if (member === undefined) body[name] = value;
  else if (value !== undefined) body[name] = { ...whole, [member]: value };
}

function sentAs(field: FieldDeclaration, text: string, loaded: unknown): unknown {
  const { kind, required, isMany, write } = field;
  if (write) return write(text, loaded);
  if (isMany) return listOf(text);
  if (kind === "number") return numberOrNull(text);
  return text === "" && required === undefined ? null : text;
}

/** Return a function that reads the first of two paths with a value, as text. */
function textReader(
  { kind, isMany, read }: FieldDeclaration,
  paths: readonly (string | undefined)[],
): (wire: object) => string {
  const [first, second] = [...new Set(paths)].filter((path) => path !== undefined).map(valueReader);
  const valueIn = (wire: object) => first?.(wire) ?? second?.(wire);
  if (read) return (wire) => read(valueIn(wire));
  if (isMany) return (wire) => ((valueIn(wire) ?? []) as readonly string[]).join(", ");
  if (kind === "json") return (wire) => formatJson(valueIn(wire));
  if (kind === "timestamp") return (wire) => toMinute(asText(valueIn(wire)));
  return (wire) => asText(valueIn(wire));
}

/** Convert text or a number to text; any other value is empty. */
function asText(value: unknown): string {
  return typeof value === "string" || typeof value === "number" ? String(value) : "";
}

function valueReader(path: string): (record: unknown) => unknown {
  const [name = "", ...below] = path.split(".");
  const member = (value: unknown, at: string) => (value as Record<string, unknown> | null | undefined)?.[at];
  if (below.length === 0) return (record) => member(record, name);
  return (record) => below.reduce(member, member(record, name));
}
