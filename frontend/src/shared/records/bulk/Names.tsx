import styles from "./bulk.module.css";
import type { RowOutcome } from "./outcomes";

/** So many are named. */
const MOST = 10;

const grouped = new Intl.NumberFormat("en-IN");

/** The records that something will be done with, by their names. */
export function Names({ rows }: { rows: readonly RowOutcome[] }) {
  const done = rows.filter(({ outcome }) => outcome === "done");
  return (
    <ul className={styles.names}>
      {done.slice(0, MOST).map(({ id, name }) => (
        <li key={id}>{name}</li>
      ))}
      {done.length > MOST && <li>and {grouped.format(done.length - MOST)} more</li>}
    </ul>
  );
}
