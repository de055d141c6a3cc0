import { FieldValue, wireName } from "@/shared/form";
import { labelOf } from "@/shared/history";
import type { RecordDefinition } from "@/shared/records/definition";
import { type Likeness, likenessOf, percent } from "./duplicates";

interface ReasonsProps {
  of: Likeness;
  definition: RecordDefinition;
}

/** The fields in which a record is the same or similar, with its values. */
export function Reasons({ of: { fields }, definition }: ReasonsProps) {
  return (
    <ul className="fl-links fl-muted fl-small fl-anywhere">
      {fields
        .filter((field) => likenessOf(field) !== "different")
        .map((field) => (
          <li key={field.name}>
            {likenessOf(field) === "same" ? "Same" : "Similar"} {labelOf(definition.labels, field.name)}
            {field.likeness < 1 && ` (${percent(field.likeness)})`}:{" "}
            <ComparedValue name={field.name} value={field.second} definition={definition} />
          </li>
        ))}
    </ul>
  );
}

/** A compared value, as the record's page shows it. */
export function ComparedValue({
  name,
  value,
  definition,
}: {
  name: string;
  value: string;
  definition: RecordDefinition;
}) {
  const spec = definition.fields.find((field) => wireName(field) === name);
  return spec ? <FieldValue spec={spec} value={value} /> : value;
}
