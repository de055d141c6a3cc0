import type { ReactElement } from "react";
import { grouped } from "@/shared/format/counted";
import styles from "./StatCards.module.css";
import type { StatusTone } from "./StatusBadge";

export interface Figure {
  label: string;
  /** Numbers have Indian digit grouping; undefined (loading) is shown as a dash. */
  value: number | string | ReactElement | undefined;
  note?: string | undefined;
  tone?: StatusTone | undefined;
  /** The filter that limits the list to the records counted. */
  filter?: string | undefined;
}

interface StatCardsProps {
  label?: string;
  figures: readonly Figure[];
  /** The active filter. */
  chosen?: string | null | undefined;
  /** Makes figures with a filter toggle buttons. */
  onChoose?: ((filter: string | null) => void) | undefined;
}

export function StatCards({ label = "Summary", figures, chosen = null, onChoose }: StatCardsProps) {
  return (
    <dl className={styles.cards} aria-label={label}>
      {figures.map((figure) => (
        <div key={figure.label} className={`fl-card ${styles.card}`} data-tone={figure.tone ?? "neutral"}>
          <dt className="fl-remark">{figure.label}</dt>
          <dd className={styles.value}>
            {typeof figure.value === "number" ? grouped.format(figure.value) : (figure.value ?? "–")}
            {figure.note && <span className={`fl-remark ${styles.note}`}>{figure.note}</span>}
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
