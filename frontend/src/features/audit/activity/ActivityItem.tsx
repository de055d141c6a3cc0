import type { ReactNode } from "react";
import { formatMoment } from "@/shared/format/MomentText";
import { relativeTime } from "@/shared/format/relativeTime";
import { ActorText, type AuditedChange } from "@/shared/history";
import styles from "./activity.module.css";

export interface Told<Entry extends AuditedChange = AuditedChange> {
  change: Entry;
  /** In milliseconds. */
  now: number;
  /** It came while the panel was open. */
  isNew: boolean;
}

interface ActivityItemProps extends Told {
  /** What can be done about it. */
  action?: ReactNode;
  /** What was done. */
  children: ReactNode;
}

/** Who did something, and how long ago. */
export function ActivityItem({ change, now, isNew, action, children }: ActivityItemProps) {
  return (
    <li className={styles.entry} data-new={isNew || undefined}>
      <p className={styles.sentence}>
        <span className={styles.person}>
          <ActorText of={change} />
        </span>{" "}
        {children}
      </p>
      <p className={styles.when}>
        {isNew && <span className={styles.mark}>New</span>}
        <time dateTime={change.moment} title={formatMoment(change.moment, true)}>
          {relativeTime(change.moment, now)}
        </time>
        {action}
      </p>
    </li>
  );
}
