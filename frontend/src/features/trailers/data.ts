import { formatJson, type JsonObject, parseJsonObject } from "@/shared/form/jsonText";

/*
 * A trailer's location and last maintenance are members of its `data`, which may be any JSON object. The form has fields
 * for them if they are a text and a date; all other members stay in the JSON field.
 */

const isText = (value: unknown) => typeof value === "string";
const isDate = (value: unknown) => typeof value === "string" && /^\d{4}-\d{2}-\d{2}$/.test(value);

const FIELDS: Readonly<Record<string, (value: unknown) => boolean>> = {
  currentLocation: isText,
  lastMaintenance: isDate,
};

/** A text member; empty text removes it. The list searches it under another name. */
export const textInData = {
  searched: false,
  read: (value: unknown) => (isText(value) ? (value as string) : ""),
  write: textOrNone,
};

/** A date member. */
export const dateInData = {
  kind: "date",
  read: (value: unknown) => (isDate(value) ? (value as string) : ""),
  write: textOrNone,
} as const;

/** The other members. Text that is no JSON object keeps the previous value (spec, section 5). */
export const dataField = {
  read: (value: unknown) => formatJson(restOf(value)),
  write: (text: string, loaded: unknown) =>
    text.trim() === "" ? null : (parseJsonObject(text) ?? restOf(loaded)),
};

/** Whether a text is blank or a JSON object. */
export function isData(text: string): boolean {
  return text.trim() === "" || parseJsonObject(text) !== undefined;
}

function textOrNone(text: string): string | undefined {
  return text === "" ? undefined : text;
}

/** The members without a field of their own; null if there are no others. */
function restOf(data: unknown): JsonObject | null {
  if (data === null || data === undefined) return null;
  const members = Object.entries(data);
  const rest = members.filter(([name, value]) => !FIELDS[name]?.(value));
  return rest.length === 0 && members.length > 0 ? null : Object.fromEntries(rest);
}
