import type { ReactNode } from "react";
import styles from "./Facts.module.css";

/** A list of {@link Fact}s, one per line: the names on the left, the values on the right. */
export function Facts({ children }: { children: ReactNode }) {
  return <dl className={styles.facts}>{children}</dl>;
}

interface FactProps {
  label: string;
  /** A figure or a code: set in figures of equal width. */
  numeric?: boolean;
  children: ReactNode;
}

/** One thing known of something, and its name. */
export function Fact({ label, numeric = false, children }: FactProps) {
  return (
    <div className={styles.fact} data-numeric={numeric || undefined}>
      <dt>{label}</dt>
      <dd>{children}</dd>
    </div>
  );
}
