import { type ReactNode, useId } from "react";
import { Facts } from "@/shared/ui/Facts";
import styles from "./form.module.css";

interface SectionProps {
  title: string;
  /** Values by label. */
  facts?: Readonly<Record<string, ReactNode>>;
  children?: ReactNode;
}

/** A titled section of a page or form. */
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
