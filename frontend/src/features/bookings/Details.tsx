import type { CSSProperties, ReactNode } from "react";
import styles from "./Details.module.css";

interface DetailsProps {
  /** How many there are in a row at most. */
  columns?: number;
  children: ReactNode;
}

/** What is known of something, in as many columns as there is room for. */
export function Details({ columns = 4, children }: DetailsProps) {
  return (
    <dl className={styles.details} style={{ "--columns": columns } as CSSProperties}>
      {children}
    </dl>
  );
}

interface DetailProps {
  label: string;
  /** Takes the whole line. */
  isWide?: boolean;
  children: ReactNode;
}

/** One value and its name; `None` where there is none. */
export function Detail({ label, isWide, children }: DetailProps) {
  return (
    <div className={styles.detail} data-wide={isWide || undefined}>
      <dt>{label}</dt>
      <dd>{children === "" || children === undefined ? "None" : children}</dd>
    </div>
  );
}

/** A smaller remark below a value. */
export function Remark({ children }: { children: ReactNode }) {
  return <span className={styles.remark}>{children}</span>;
}
