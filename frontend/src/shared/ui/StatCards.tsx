import type { ReactElement } from "react";
import { grouped } from "@/shared/format/counted";
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
  /** What narrows the list below to what this counts, where it can be. */
  filter?: string | undefined;
}

interface StatCardsProps {
  label?: string;
  figures: readonly Figure[];
  /** The filter that narrows the list now. */
  chosen?: string | null | undefined;
  /** Makes buttons of the figures that have a filter; the one chosen is taken back by another press. */
  onChoose?: ((filter: string | null) => void) | undefined;
}

/** A row of figures above a list. */
export function StatCards({ label = "Summary", figures, chosen = null, onChoose }: StatCardsProps) {
  return (
    <dl className={styles.cards} aria-label={label}>
      {figures.map((figure) => (
        <div key={figure.label} className={`fl-card ${styles.card}`} data-tone={figure.tone ?? "neutral"}>
          <dt className="fl-remark">{figure.label}</dt>
          <dd className={styles.value}>
            {typeof figure.value === "number" ? grouped.format(figure.value) : (figure.value ?? "–")}
            {figure.note && <span className={styles.note}>{figure.note}</span>}
            {figure.filter !== undefined && onChoose && (
              <button
                type="button"
                className={styles.choice}
                aria-label={`Show only ${figure.label}`}
                aria-pressed={figure.filter === chosen}
                onClick={() => onChoose(figure.filter === chosen ? null : (figure.filter ?? null))}
              />
            )}
          </dd>
        </div>
      ))}
    </dl>
  );
}
