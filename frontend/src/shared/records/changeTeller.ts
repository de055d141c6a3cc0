import { type FormValues, wireName } from "@/shared/form";
import { ERASED_VALUE, type FieldChange, HIDDEN_VALUE, UNKNOWN_VALUE } from "@/shared/history";
import type { Identified, RecordDefinition } from "./definition";

/** What changes of a record, as a batch's answer tells it. */
interface Changing {
  id: string | null;
  /** The server's names of the fields that change. */
  fields: readonly string[];
  /** What they become, by the form's names. */
  texts: FormValues;
}

/** Tells what changes of records, by those that are at hand; of others, what they become. */
export function changeTeller(
  { api, fields }: Pick<RecordDefinition, "api" | "fields">,
  records: readonly Identified[],
): (changing: Changing) => readonly FieldChange[] {
  const known = new Map(records.map((record) => [record.id, record]));
  return ({ id, fields: changed, texts }) => {
    const record = known.get(id ?? "");
    const before = record && api.toValues(record);
    const hidden = record && api.hiddenIn(record);
    return fields.flatMap((field): FieldChange[] => {
      const to = texts[field.name];
      const wire = wireName(field);
      if (to === undefined || !changed.some((name) => wire === name || wire.startsWith(`${name}.`)))
        return [];
      if (hidden?.has(field.name)) {
        const isErased = record?.erased?.includes(wire) ?? false;
        return [{ field: wire, from: isErased ? ERASED_VALUE : HIDDEN_VALUE, to }];
      }
      const from = before ? (before[field.name] ?? null) : UNKNOWN_VALUE;
      return from === to ? [] : [{ field: wire, from, to }];
    });
  };
}
