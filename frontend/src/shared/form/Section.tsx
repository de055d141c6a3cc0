import { type ReactNode, useId } from "react";
import { Facts } from "@/shared/ui/Facts";
import styles from "./form.module.css";

interface SectionProps {
  title: string;
  /** By name: what is known. */
  facts?: Readonly<Record<string, ReactNode>>;
  children?: ReactNode;
}

/** A titled group of a record's values, whether they are read or asked for. */
export function Section({ title, facts, children }: SectionProps) {
  const titleId = useId();
  return (
    <section className={`fl-card ${styles.section}`} aria-labelledby={titleId}>
      <h2 id={titleId} className={styles.sectionTitle}>
        {title}
      </h2>
      {facts && <Facts of={facts} />}
      {children}
    </section>
  );
}
