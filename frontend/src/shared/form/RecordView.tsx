import type { ReactNode } from "react";
import { type FieldValues, get } from "react-hook-form";
import { type SectionSpec, shownFields } from "./fields";
import styles from "./form.module.css";
import { ReadOnlyField } from "./ReadOnlyField";
import { Section } from "./Section";

interface RecordViewProps<Values extends FieldValues> {
  sections: readonly SectionSpec<Values>[];
  values: Values;
  /** A remark below a field's value. */
  noteOf?: (name: string) => ReactNode;
}

/** A record to be read, in the same sections and places as its form has them. */
export function RecordView<Values extends FieldValues>({
  sections,
  values,
  noteOf,
}: RecordViewProps<Values>) {
  return (
    <div className={styles.sections}>
      {sections.map((section) => (
        <Section key={section.title} title={section.title}>
          <dl className={styles.grid}>
            {shownFields(section, values).map((spec) => (
              <ReadOnlyField
                key={spec.name}
                spec={spec}
                value={String(get(values, spec.name) ?? "")}
                note={noteOf?.(spec.name)}
              />
            ))}
          </dl>
        </Section>
      ))}
    </div>
  );
}
