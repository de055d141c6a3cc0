import type { ReactNode } from "react";
import { type FieldSpec, type FormValues, type SectionSpec, shownFields } from "./fields";
import styles from "./form.module.css";
import { ReadOnlyField } from "./ReadOnlyField";
import { Section } from "./Section";

interface RecordViewProps {
  sections: readonly SectionSpec[];
  values: FormValues;
  /** A remark below a field's value. */
  noteOf?: (field: FieldSpec) => ReactNode;
}

/** A record to be read, in the same sections and places as its form has them. */
export function RecordView({ sections, values, noteOf }: RecordViewProps) {
  return (
    <div className="fl-stack">
      {sections.map((section) => (
        <Section key={section.title} title={section.title}>
          <dl className={styles.grid}>
            {shownFields(section, values).map((spec) => (
              <ReadOnlyField
                key={spec.name}
                spec={spec}
                value={values[spec.name] ?? ""}
                note={noteOf?.(spec)}
              />
            ))}
          </dl>
        </Section>
      ))}
    </div>
  );
}
