import { formatJson, type JsonObject, parseJsonObject } from "@/shared/form/jsonText";

/*
 * A trailer's location and last maintenance live in its `data`, which may be any JSON object. The form asks for them
 * by themselves where they are what it can ask for; whatever else there is stays in the JSON.
 */

const isText = (value: unknown) => typeof value === "string";
const isDate = (value: unknown) => typeof value === "string" && /^\d{4}-\d{2}-\d{2}$/.test(value);

const askedFor: Readonly<Record<string, (value: unknown) => boolean>> = {
  currentLocation: isText,
  lastMaintenance: isDate,
};

/** A text of the data's: empty takes it away. The list has a field of its own for it. */
export const textInData = {
  searched: false,
  read: (value: unknown) => (isText(value) ? (value as string) : ""),
  write: textOrNone,
};

/** A date of the data's. */
export const dateInData = {
  kind: "date",
  read: (value: unknown) => (isDate(value) ? (value as string) : ""),
  write: textOrNone,
} as const;

/** The rest of the data. Text that is no JSON object leaves it unchanged (product.md: validation). */
export const dataField = {
  read: (value: unknown) => formatJson(restOf(value)),
  write: (text: string, loaded: unknown) =>
    text.trim() === "" ? null : (parseJsonObject(text) ?? restOf(loaded)),
};

/** Whether a text says what `data` is to be: nothing, or a JSON object. */
export function isData(text: string): boolean {
  return text.trim() === "" || parseJsonObject(text) !== undefined;
}

function textOrNone(text: string): string | undefined {
  return text === "" ? undefined : text;
}

/** What the form does not ask for by itself; nothing where that is all there is. */
function restOf(data: unknown): JsonObject | null {
  if (data === null || data === undefined) return null;
  const members = Object.entries(data);
  const rest = members.filter(([name, value]) => !askedFor[name]?.(value));
  return rest.length === 0 && members.length > 0 ? null : Object.fromEntries(rest);
}
