import { type FieldLabels, labelOf } from "@/shared/history";
import { type Likeness, likenessOf, percent } from "./duplicates";
import styles from "./duplicates.module.css";

/** The fields in which a record is the same or similar, with its values. */
export function Reasons({ of: { fields }, labels }: { of: Likeness; labels: FieldLabels }) {
  return (
    <ul className={styles.reasons}>
      {fields
        .filter((field) => likenessOf(field) !== "different")
        .map((field) => (
          <li key={field.name}>
            {likenessOf(field) === "same" ? "Same" : "Similar"} {labelOf(labels, field.name)}
            {field.likeness < 1 && ` (${percent(field.likeness)})`}: {field.second}
          </li>
        ))}
    </ul>
  );
}
