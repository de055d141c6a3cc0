import styles from "./system.module.css";
import { percentage } from "./words";

interface ProgressProps {
  /** What is going on. */
  label: string;
  done: number | null;
  total: number | null;
}

/** How far something has come; where that is not known, that it goes on. */
export function Progress({ label, done, total }: ProgressProps) {
  const percent = percentage(done, total);
  return (
    <span className={styles.progress}>
      <progress aria-label={label} max={100} value={percent} />
      {percent !== undefined && <span aria-hidden>{percent} %</span>}
    </span>
  );
}
