import type { ReactNode } from "react";
import styles from "./StatCards.module.css";
import type { StatusTone } from "./StatusBadge";

/** A row of {@link StatCard}s above a list. */
export function StatCards({ label = "Summary", children }: { label?: string; children: ReactNode }) {
  return (
    <dl className={styles.cards} aria-label={label}>
      {children}
    </dl>
  );
}

interface StatCardProps {
  label: string;
  /** Numbers are grouped the Indian way; undefined (still loading) shows as a dash. */
  value: number | string | undefined;
  /** A short remark below the figure. */
  note?: string | undefined;
  tone?: StatusTone | undefined;
}

const grouped = new Intl.NumberFormat("en-IN");

/** One figure and what it counts. */
export function StatCard({ label, value, note, tone = "neutral" }: StatCardProps) {
  return (
    <div className={styles.card} data-tone={tone}>
      <dt className={styles.label}>{label}</dt>
      <dd className={styles.value}>
        {typeof value === "number" ? grouped.format(value) : (value ?? "–")}
        {note && <span className={styles.note}>{note}</span>}
      </dd>
    </div>
  );
}
