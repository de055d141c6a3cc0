/** The value at a dotted path such as `client.name`; undefined if there is none. */
export function valueAt(record: unknown, path: string): unknown {
  let value = record;
  for (const name of path.split(".")) {
    // Ignores inherited members such as `constructor`.
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, name)) return undefined;
    value = (value as Record<string, unknown>)[name];
  }
  return value;
}

/** The value at a dotted path as searchable text; empty for null and undefined. */
export function textAt(record: unknown, path: string): string {
  const value = valueAt(record, path);
  return value === undefined || value === null ? "" : String(value);
}
