import type { ReactElement } from "react";
import styles from "./StatCards.module.css";
import type { StatusTone } from "./StatusBadge";

/** One figure and what it counts. */
export interface Figure {
  label: string;
  /** Numbers are grouped the Indian way; undefined (still loading) shows as a dash. */
  value: number | string | ReactElement | undefined;
  /** A short remark below the figure. */
  note?: string | undefined;
  tone?: StatusTone | undefined;
}

const grouped = new Intl.NumberFormat("en-IN");

/** A row of figures above a list. */
export function StatCards({ label = "Summary", figures }: { label?: string; figures: readonly Figure[] }) {
  return (
    <dl className={styles.cards} aria-label={label}>
      {figures.map((figure) => (
        <div key={figure.label} className={`fl-card ${styles.card}`} data-tone={figure.tone ?? "neutral"}>
          <dt className="fl-remark">{figure.label}</dt>
          <dd className={styles.value}>
            {typeof figure.value === "number" ? grouped.format(figure.value) : (figure.value ?? "–")}
            {figure.note && <span className={styles.note}>{figure.note}</span>}
          </dd>
        </div>
      ))}
    </dl>
  );
}
