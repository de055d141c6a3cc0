import type { CSSProperties, ReactNode } from "react";
import styles from "./Details.module.css";

interface DetailsProps {
  /** By name; `None` where there is no value. */
  of: Readonly<Record<string, ReactNode>>;
  /** The one that takes a whole line. */
  wide?: string;
  /** How many there are in a row at most. */
  columns?: number;
}

/** What is known of something, in as many columns as there is room for. */
export function Details({ of, wide, columns = 4 }: DetailsProps) {
  return (
    <dl className={styles.details} style={{ "--columns": columns } as CSSProperties}>
      {Object.entries(of).map(([name, value]) => (
        <div key={name} className={styles.detail} data-wide={name === wide || undefined}>
          <dt>{name}</dt>
          <dd>{value === "" ? "None" : value}</dd>
        </div>
      ))}
    </dl>
  );
}

/** A smaller remark below a value. */
export function Remark({ children }: { children: ReactNode }) {
  return <span className="fl-remark">{children}</span>;
}
