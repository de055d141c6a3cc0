/** The value that a dotted path leads to, e.g. `client.name`; undefined where it leads nowhere. */
export function valueAt(record: unknown, path: string): unknown {
  let value = record;
  for (const name of path.split(".")) {
    // What every object inherits is no value of this one.
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, name)) return undefined;
    value = (value as Record<string, unknown>)[name];
  }
  return value;
}

/** The same as a text to be searched: nothing is the empty text. */
export function textAt(record: unknown, path: string): string {
  const value = valueAt(record, path);
  return value === undefined || value === null ? "" : String(value);
}
