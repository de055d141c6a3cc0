import { Button } from "@blueprintjs/core";
import { useMemo } from "react";
import { ApiError } from "@/shared/api/client";
import { useAsOf } from "@/shared/asOf/useAsOf";
import { counted } from "@/shared/format/counted";
import { formatMoment } from "@/shared/format/MomentText";
import type { AuditedChange } from "@/shared/history";
import { EmptyState, ErrorState, HiddenRemark, LoadingState } from "@/shared/ui";
import { DayStrip } from "./days/DayStrip";
import { ChangeEntry, RunEntry } from "./entries";
import { FilterBar, FilterChips, PresetButtons } from "./FilterBar";
import { FurtherBack, focusResults, resultsMark } from "./FurtherBack";
import { FILTER_LABELS, type FilterName, trailPath, useAuditFilters, usePeople } from "./filters";
import type { AuditedKind } from "./kinds";
import { isRun, withoutFormer } from "./runs";
import { TrailExport } from "./TrailExport";
import styles from "./trail.module.css";
import { UndoRun } from "./UndoRun";
import { type NewestFirst, useNewestFirst } from "./useNewestFirst";

/** The complete log, newest first, with filters and downloads. */
export function TrailTab({ kinds }: { kinds: readonly AuditedKind[] }) {
  const { asOf } = useAsOf();
  const filters = useAuditFilters();
  const read = useNewestFirst(trailPath(filters.values, asOf, { runs: "once" }), positionOf);
  const stretch = useMemo(
    () => read.stretch && { ...read.stretch, items: withoutFormer(read.stretch.items) },
    [read.stretch],
  );
  const trail = { ...read, stretch };
  const people = usePeople(trail.stretch?.items);
  const refusals = refusalsOf(trail.error);

  return (
    <div className="fl-stack">
      <FilterBar filters={filters} kinds={kinds} people={people} refusals={refusals} />
      <div className={styles.tools}>
        <PresetButtons filters={filters} />
        <FilterChips filters={filters} kinds={kinds} people={people} />
        {filters.values.batch !== "" && asOf === null && <UndoRun batch={filters.values.batch} />}
        <TrailStatus trail={trail} />
        <TrailExport filters={filters.values} asOf={asOf} isRefused={refusals.size > 0} />
      </div>
      {refusals.size === 0 && <DayStrip filters={filters} asOf={asOf} />}
      {asOf !== null && (
        <p className="fl-remark">Lists and downloads changes up to {formatMoment(asOf, true)}.</p>
      )}
      {trail.stretch?.items.some(({ masked }) => masked) && <HiddenRemark isOfMany />}
      <TrailResults
        trail={trail}
        kinds={kinds}
        refusals={refusals}
        isFiltered={filters.active.length > 0}
        onPerson={(sub) => filters.set({ actor: sub })}
        onClear={filters.clear}
      />
    </div>
  );
}

const positionOf = ({ position }: AuditedChange) => position;

/** The API's error texts by filter. */
function refusalsOf(error: unknown): ReadonlyMap<string, string> {
  if (!(error instanceof ApiError) || error.status !== 422) return new Map();
  return new Map(error.validationErrors.map(({ field, message }) => [field, message]));
}

interface TrailResultsProps {
  trail: NewestFirst<AuditedChange>;
  kinds: readonly AuditedKind[];
  refusals: ReadonlyMap<string, string>;
  isFiltered: boolean;
  /** Filters by a person. */
  onPerson: (sub: string) => void;
  onClear: () => void;
}

function TrailResults({ trail, kinds, refusals, isFiltered, onPerson, onClear }: TrailResultsProps) {
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
        message="The changes could not be loaded. No data is lost."
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
          message="The complete log was searched."
          action={<Button text="Clear All" onClick={onClear} />}
        />
      )}
      {isEmpty && !isFiltered && (
        <EmptyState
          title="No changes yet"
          message="Added, changed and removed drivers, trailers, horses and locations are listed here."
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

/** The number of changes shown, and of new ones. */
function TrailStatus({
  trail: { stretch, isCurrent, arrived, showArrived, error },
}: {
  trail: NewestFirst<AuditedChange>;
}) {
  if (stretch === undefined) return null;
  const { items } = stretch;
  const changes = items.some(isRun) ? counted(items.length, "line") : counted(items.length, "change");
  return (
    <div className={styles.status}>
      <p className="fl-remark" role="status">
        {isCurrent ? (stretch.next === null ? changes : `The newest ${changes}`) : "Loading changes..."}
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
