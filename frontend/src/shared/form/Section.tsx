import { type ReactNode, useId } from "react";
import styles from "./form.module.css";

/** A titled group of a record's values, whether they are read or asked for. */
export function Section({ title, children }: { title: string; children: ReactNode }) {
  const titleId = useId();
  return (
    <section className={styles.section} aria-labelledby={titleId}>
      <h2 id={titleId} className={styles.sectionTitle}>
        {title}
      </h2>
      {children}
    </section>
  );
}
