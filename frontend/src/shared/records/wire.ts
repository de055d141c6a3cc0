import type { FormValues } from "./definition";

/**
 * Reads a form's values out of a record. What the record has not got becomes empty text.
 * @param wireNames form name → wire name; dots lead into objects.
 */
export function readValues<Values extends FormValues>(
  wire: object,
  wireNames: Readonly<Record<keyof Values & string, string>>,
): Values {
  const entries = Object.entries<string>(wireNames).map(([name, path]) => [
    name,
    asText(valueAt(wire, path)),
  ]);
  return Object.fromEntries(entries) as Values;
}

/** A value as text; empty where there is none, or none that is text or a number. */
export function asText(value: unknown): string {
  return typeof value === "string" || typeof value === "number" ? String(value) : "";
}

/** A moment as forms show it: RFC 3339, cut to date and minute (specification, section 9). */
export function cutToMinute(moment: string): string {
  return moment.slice(0, 16);
}

/**
 * Writes a form's values under their wire names, which must not have dots. Empty optional text becomes null.
 * @param optional which fields may be empty.
 */
export function writeValues<Values extends FormValues>(
  values: Values,
  wireNames: Readonly<Record<keyof Values & string, string>>,
  optional: ReadonlySet<keyof Values>,
): Record<string, string | null> {
  const entries = Object.entries<string>(wireNames).map(([name, wireName]) => {
    const value = values[name] ?? "";
    return [wireName, value === "" && optional.has(name) ? null : value];
  });
  return Object.fromEntries(entries);
}

/** What an optional field is sent as: empty text means none. */
export function textOrNull(text: string): string | null {
  return text === "" ? null : text;
}

function valueAt(record: unknown, path: string): unknown {
  return path
    .split(".")
    .reduce<unknown>((value, name) => (value as Record<string, unknown> | null)?.[name], record);
}
