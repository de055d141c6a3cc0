import { Link } from "react-router";
import { useAsOf } from "@/shared/asOf/useAsOf";
import { reasonText } from "@/shared/history";
import { StatusBadge } from "@/shared/ui";
import { type RunEnd, runPath, runText } from "./runs";
import styles from "./trail.module.css";
import { WhenAndWho } from "./WhenAndWho";

interface RunEntryProps {
  change: RunEnd;
  /** Somebody wants only this person's changes. */
  onPerson: (sub: string) => void;
}

/** What came about at once, such as an import, as one line in the trail, which leads to all of it. */
export function RunEntry({ change, onPerson }: RunEntryProps) {
  const { addressOf } = useAsOf();
  return (
    <li className={styles.entry}>
      <WhenAndWho change={change} onPerson={onPerson} />
      <div className={styles.what}>
        <span className={styles.kind}>
          <StatusBadge label="In bulk" />
        </span>
        <span className={styles.record}>
          <Link to={addressOf(runPath(change))}>{runText(change)}</Link>
        </span>
      </div>
      <div className={styles.line}>{reasonText(change)}</div>
    </li>
  );
}
