import { useMemo } from "react";
import { ApiError } from "@/shared/api/client";
import { useAsOf } from "@/shared/asOf/useAsOf";
import { formatMoment } from "@/shared/format/MomentText";
import type { AuditedChange } from "@/shared/history";
import { HiddenRemark } from "@/shared/ui";
import { DayStrip } from "./days/DayStrip";
import { FilterBar } from "./FilterBar";
import { FilterChips } from "./FilterChips";
import { trailPath } from "./filters";
import type { AuditedKind } from "./kinds";
import { PresetButtons } from "./PresetButtons";
import { withoutFormer } from "./runs";
import { TrailExport } from "./TrailExport";
import { TrailResults } from "./TrailResults";
import { TrailStatus } from "./TrailStatus";
import styles from "./trail.module.css";
import { UndoRun } from "./UndoRun";
import { useAuditFilters } from "./useAuditFilters";
import { useNewestFirst } from "./useNewestFirst";
import { usePeople } from "./usePeople";

/** The whole log's timeline, the newest first, with its filters and downloads. */
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
        <p className="fl-remark">
          Only what had happened by {formatMoment(asOf, true)} is listed and downloaded.
        </p>
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

/** What the API says of filters that it cannot use, by their names. */
function refusalsOf(error: unknown): ReadonlyMap<string, string> {
  if (!(error instanceof ApiError) || error.status !== 422) return new Map();
  return new Map(error.validationErrors.map(({ field, message }) => [field, message]));
}
