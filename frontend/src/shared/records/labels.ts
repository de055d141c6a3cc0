import type { FieldLabels } from "@/shared/history";
import type { RecordDefinition } from "./definition";

/** What a kind's screens call its fields, by the server's names. */
export function fieldLabels({ sections, api }: RecordDefinition): FieldLabels {
  const specs = sections.flatMap(({ fields }) => fields);
  return new Map(specs.map(({ name, label }) => [api.wireNames[name] ?? name, label]));
}
