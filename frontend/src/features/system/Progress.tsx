import { percentage } from "./format";
import styles from "./system.module.css";

interface ProgressProps {
  /** Names the task. */
  label: string;
  done: number | null;
  total: number | null;
}

/** Progress of a task, or an indeterminate bar while its total is not known. */
export function Progress({ label, done, total }: ProgressProps) {
  const percent = percentage(done, total);
  return (
    <span className={styles.progress}>
      <progress aria-label={label} max={100} value={percent} />
      {percent !== undefined && <span aria-hidden>{percent} %</span>}
    </span>
  );
}
