import type { ReactNode } from "react";
import styles from "./Facts.module.css";

/** A list of {@link Fact}s, one per line: the names on the left, the values on the right. */
export function Facts({ children }: { children: ReactNode }) {
  return <dl className={styles.facts}>{children}</dl>;
}

interface FactProps {
  label: string;
  children: ReactNode;
}

/** One thing known of something, and its name. */
export function Fact({ label, children }: FactProps) {
  return (
    <div className={styles.fact}>
      <dt>{label}</dt>
      <dd>{children}</dd>
    </div>
  );
}
