import { formatMoment } from "@/shared/format/MomentText";
import { relativeTime } from "@/shared/format/relativeTime";
import { percentage } from "./format";
import styles from "./system.module.css";

/**
 * A moment as the time passed since.
 * @param at the server's time in RFC 3339, because the browser's clock may be wrong.
 */
export function Ago({ moment, at }: { moment: string; at: string }) {
  return (
    <time dateTime={moment} title={formatMoment(moment, true)}>
      {relativeTime(moment, Date.parse(at))}
    </time>
  );
}

interface ProgressProps {
  /** Names the task. */
  label: string;
  done: number | null;
  total: number | null;
}

/** Progress of a task, or an indeterminate bar while its total is unknown. */
export function Progress({ label, done, total }: ProgressProps) {
  const percent = percentage(done, total);
  return (
    <span className={styles.progress}>
      <progress aria-label={label} max={100} value={percent} />
      {percent !== undefined && <span aria-hidden>{percent} %</span>}
    </span>
  );
}
