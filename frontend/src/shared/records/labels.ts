import { fieldsOf, wireName } from "@/shared/form";
import type { FieldLabels } from "@/shared/history";
import type { RecordDefinition } from "./definition";

/** What a kind's screens call its fields, by the server's names. */
export function fieldLabels({ sections }: RecordDefinition): FieldLabels {
  return new Map(fieldsOf(sections).map((field) => [wireName(field), field.label]));
}
