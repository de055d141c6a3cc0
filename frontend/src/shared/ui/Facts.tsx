import type { ReactNode } from "react";
import styles from "./Facts.module.css";

/** Names and values, one per line. */
export function Facts({ of }: { of: Readonly<Record<string, ReactNode>> }) {
  return (
    <dl className={styles.facts}>
      {Object.entries(of).map(([name, value]) => (
        <div key={name} className={styles.fact}>
          <dt className="fl-muted">{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}
