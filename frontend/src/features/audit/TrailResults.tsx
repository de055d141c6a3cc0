import { Button } from "@blueprintjs/core";
import type { AuditedChange } from "@/shared/history";
import { EmptyState, ErrorState, LoadingState } from "@/shared/ui";
import { ChangeEntry } from "./ChangeEntry";
import { FurtherBack } from "./FurtherBack";
import { FILTER_LABELS, type FilterName } from "./filters";
import { resultsMark } from "./focusResults";
import type { AuditedKind } from "./kinds";
import { RunEntry } from "./RunEntry";
import { isRun } from "./runs";
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
          {items.map((change) =>
            isRun(change) ? (
              <RunEntry key={change.batch} change={change} onPerson={onPerson} />
            ) : (
              <ChangeEntry key={change.position} change={change} kinds={kinds} onPerson={onPerson} />
            ),
          )}
        </ol>
      )}
      <FurtherBack trail={trail} />
    </section>
  );
}
