import { Button, Callout } from "@blueprintjs/core";
import { useMemo } from "react";
import { counted } from "@/shared/format/counted";
import { formatMoment } from "@/shared/format/MomentText";
import { useNow } from "@/shared/format/useNow";
import type { AuditedChange } from "@/shared/history";
import { undoneIn } from "@/shared/records/undo/mayUndo";
import { EmptyState, ErrorState, LoadingState } from "@/shared/ui";
import type { AuditedKind } from "../kinds";
import { isRun } from "../runs";
import { ActivityEntry } from "./ActivityEntry";
import { ActivityRun } from "./ActivityRun";
import styles from "./activity.module.css";
import { POLL_INTERVAL, useRecentChanges } from "./useRecentChanges";

interface ActivityListProps {
  kinds: readonly AuditedKind[];
  /** A link was followed. */
  onLeave: () => void;
}

/** The last changes; rendered only while the panel is open. */
export function ActivityList({ kinds, onLeave }: ActivityListProps) {
  const { changes, seen, readAt, error, retry } = useRecentChanges();
  const now = useNow(POLL_INTERVAL);
  const undone = useMemo(() => undoneAmong(changes ?? []), [changes]);
  const count = changes?.filter(({ position }) => position > seen).length ?? 0;

  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: arrow keys scroll it
    <section className={styles.scroll} aria-label="Last changes" tabIndex={0}>
      <p className="fl-visually-hidden" role="status">
        {count > 0 && counted(count, "new change")}
      </p>
      {error !== undefined && changes !== undefined && (
        <Callout className={styles.stale} icon={null} intent="warning" role="alert">
          <span>
            Could not be refreshed. This is how it was at {formatMoment(new Date(readAt).toISOString(), true)}
            .
          </span>
          <Button size="small" text="Try Again" onClick={retry} />
        </Callout>
      )}
      {changes === undefined && error === undefined && <LoadingState label="Loading recent activity..." />}
      {changes === undefined && error !== undefined && (
        <ErrorState
          error={error}
          title="Failed to load recent activity"
          message="The last changes could not be read."
          onRetry={retry}
        />
      )}
      {changes?.length === 0 && (
        <EmptyState title="Nothing has happened yet" message="Whatever anybody changes will be told here." />
      )}
      {changes !== undefined && changes.length > 0 && (
        <ol>
          {changes.map((change) => {
            const told = { now: Math.max(now, readAt), isNew: change.position > seen, onLeave };
            return isRun(change) ? (
              <ActivityRun key={change.batch} change={change} {...told} />
            ) : (
              <ActivityEntry
                key={change.position}
                change={change}
                kinds={kinds}
                isUndone={undone.has(change)}
                {...told}
              />
            );
          })}
        </ol>
      )}
    </section>
  );
}

/** Those of some changes that have been undone, the latest first; as far as these tell. */
function undoneAmong(changes: readonly AuditedChange[]): ReadonlySet<AuditedChange> {
  const isOf =
    ({ entity, id }: AuditedChange) =>
    (other: AuditedChange) =>
      other.entity === entity && other.id === id;
  return new Set(changes.filter((change) => undoneIn(changes.filter(isOf(change))).has(change.version)));
}
