import { Button } from "@blueprintjs/core";
import type { AuditedChange } from "@/shared/history";
import { EmptyState, ErrorState, LoadingState } from "@/shared/ui";
import { ChangeEntry } from "./ChangeEntry";
import { FurtherBack } from "./FurtherBack";
import { FILTER_LABELS, type FilterName } from "./filters";
import { focusResults, resultsMark } from "./focusResults";
import type { AuditedKind } from "./kinds";
import styles from "./trail.module.css";
import type { NewestFirst } from "./useNewestFirst";

interface TrailResultsProps {
  trail: NewestFirst<AuditedChange>;
  kinds: readonly AuditedKind[];
  refusals: ReadonlyMap<string, string>;
  isFiltered: boolean;
  /** Somebody wants only this person's changes. */
  onPerson: (sub: string) => void;
  onClear: () => void;
}

/** What the filters let through. */
export function TrailResults({ trail, kinds, refusals, isFiltered, onPerson, onClear }: TrailResultsProps) {
  const { stretch, isCurrent, error } = trail;
  if (refusals.size > 0 && !isCurrent) {
    return (
      <ErrorState
        title="These filters cannot be used"
        message={[...refusals]
          .map(([name, message]) => `${FILTER_LABELS[name as FilterName] ?? name}: ${message}`)
          .join(". ")}
        action={<Button text="Clear All" onClick={onClear} />}
      />
    );
  }
  if (error !== undefined && !isCurrent) {
    return (
      <ErrorState
        error={error}
        title="Failed to load the audit trail"
        message="The changes could not be read. What is recorded is safe."
        onRetry={trail.retry}
      />
    );
  }
  if (stretch === undefined) return <LoadingState label="Loading changes..." />;

  const { items, next } = stretch;
  const isEmpty = items.length === 0 && next === null;
  return (
    <section
      className={`fl-card ${styles.results}`}
      aria-label="Changes"
      aria-busy={!isCurrent}
      data-waiting={!isCurrent || undefined}
      {...resultsMark}
    >
      <ResultsHead trail={trail} />
      {isEmpty && isFiltered && (
        <EmptyState
          title="No changes match these filters"
          message="The whole log has been searched."
          action={<Button text="Clear All" onClick={onClear} />}
        />
      )}
      {isEmpty && !isFiltered && (
        <EmptyState
          title="Nothing has happened yet"
          message="Every driver, trailer, horse or location that is added, changed or removed will be listed here."
        />
      )}
      {items.length > 0 && (
        <ol className={styles.entries}>
          {items.map((change) => (
            <ChangeEntry key={change.position} change={change} kinds={kinds} onPerson={onPerson} />
          ))}
        </ol>
      )}
      <FurtherBack trail={trail} />
    </section>
  );
}

/** How much is shown, and what has come meanwhile. */
function ResultsHead({
  trail: { stretch, isCurrent, arrived, showArrived, error },
}: Pick<TrailResultsProps, "trail">) {
  const count = stretch?.items.length ?? 0;
  const changes = `${count} ${count === 1 ? "change" : "changes"}`;
  return (
    <div className={styles.head}>
      <p className="fl-remark" role="status">
        {isCurrent ? (stretch?.next === null ? changes : `The newest ${changes}`) : "Loading changes..."}
        {isCurrent && error !== undefined && " · could not be refreshed, trying again"}
      </p>
      {arrived.items.length > 0 && (
        <Button
          size="small"
          intent="primary"
          text={`Show ${arrived.items.length}${arrived.hasGap ? " or more" : ""} new`}
          onClick={() => {
            focusResults();
            showArrived();
          }}
        />
      )}
    </div>
  );
}
