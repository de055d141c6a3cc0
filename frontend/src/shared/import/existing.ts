import type { FormValues } from "@/shared/form";
import type { Identified, RecordDefinition } from "@/shared/records";
import { plain, type Target } from "./targets";

/** Return the id of the only record that equals a row in all identifying fields of the file. */
export type FindRecord = (texts: FormValues) => string | undefined;

/** Index all records by the identifying fields of the file. */
export async function existingRecords(
  { api }: RecordDefinition,
  columns: readonly (Target | undefined)[],
  records: Promise<readonly Identified[]>,
): Promise<FindRecord> {
  const names = columns.flatMap((target) => (target?.field?.identifies ? [target.name] : []));
  if (names.length === 0) return () => undefined;
  const keyOf = (texts: FormValues) => {
    const values = names.map((name) => plain(texts[name] ?? ""));
    return values.some((value) => value !== "") ? values.join("\n") : undefined;
  };
  const found = new Map<string, string | undefined>();
  for (const record of await records) {
    const key = keyOf(api.toValues(record));
    // Equal records are ambiguous.
    if (key !== undefined) found.set(key, found.has(key) ? undefined : record.id);
  }
  return (texts) => found.get(keyOf(texts) ?? "");
}
