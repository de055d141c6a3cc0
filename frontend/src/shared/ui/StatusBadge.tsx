import styles from "./StatusBadge.module.css";

export type StatusTone = "neutral" | "info" | "success" | "warning" | "danger";

/** A status as a word with a coloured mark; the word alone carries the meaning. */
export function StatusBadge({ label, tone = "neutral" }: { label: string; tone?: StatusTone }) {
  return (
    <span className={styles.badge} data-tone={tone}>
      {label}
    </span>
  );
}
