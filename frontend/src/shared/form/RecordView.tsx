import type { ReactNode } from "react";
import { HiddenRemark } from "@/shared/ui";
import { ReadOnlyField } from "./FieldValue";
import {
  type FieldSpec,
  type FormValues,
  type HiddenNames,
  NOTHING_HIDDEN,
  type SectionSpec,
  shownFields,
} from "./fields";
import styles from "./form.module.css";
import { Section } from "./Section";

interface RecordViewProps {
  sections: readonly SectionSpec[];
  values: FormValues;
  hidden?: HiddenNames;
  /** A note below a field's value. */
  noteOf?: (field: FieldSpec) => ReactNode;
}

/** A record for reading, with the sections and layout of its form. */
export function RecordView({ sections, values, hidden = NOTHING_HIDDEN, noteOf }: RecordViewProps) {
  return (
    <div className="fl-stack">
      {hidden.size > 0 && <HiddenRemark />}
      {sections.map(({ below: Below, ...section }) => (
        <Section key={section.title} title={section.title}>
          <dl className={styles.grid}>
            {shownFields(section, values, hidden)
              .filter(({ applies = () => true }) => applies(values))
              .map((spec) => (
                <ReadOnlyField
                  key={spec.name}
                  spec={spec}
                  value={values[spec.name] ?? ""}
                  isHidden={hidden.has(spec.name)}
                  note={noteOf?.(spec)}
                />
              ))}
          </dl>
          {Below && <Below values={values} />}
        </Section>
      ))}
    </div>
  );
}
