import { Button, Switch } from "@blueprintjs/core";
import { Download, Undo } from "@blueprintjs/icons";
import { type ReactNode, useMemo, useState } from "react";
import { useSWRConfig } from "swr";
import { ApiError } from "@/shared/api/client";
import { useAsOf } from "@/shared/asOf/useAsOf";
import { AuditFileButton } from "@/shared/auditFile/AuditFileButton";
import { SCOPE_NAMES } from "@/shared/auditFile/scope";
import { Permitted, usePermission } from "@/shared/auth/permissions";
import { refusalText } from "@/shared/auth/refusal";
import { counted } from "@/shared/format/counted";
import { formatMoment } from "@/shared/format/MomentText";
import { formatMegabytes } from "@/shared/format/megabytes";
import type { AuditedChange } from "@/shared/history";
import { PrintButton } from "@/shared/print/PrintButton";
import type { RecordDefinition } from "@/shared/records";
import { askBulk } from "@/shared/records/bulk/bulkStore";
import { useDownload } from "@/shared/table/useDownload";
import { TaskProgress } from "@/shared/table/useTask";
import { toast } from "@/shared/toast";
import { ConfirmDialog, EmptyState, ErrorState, HiddenRemark, Loaded } from "@/shared/ui";
import { NEWEST_ACCESSES } from "./AccessLogTab";
import { allItems } from "./allItems";
import { DayStrip } from "./days/DayStrip";
import { ChangeEntry, RunEntry } from "./entries";
import { FilterBar, FilterChips, filterTexts, PresetButtons } from "./FilterBar";
import {
  type AuditFilters,
  endOfTrail,
  FILTER_LABELS,
  type FilterName,
  readFilters,
  trailPath,
  useAuditFilters,
  usePeople,
} from "./filters";
import { kindTitle } from "./kinds";
import { FurtherBack, focusResults, type NewestFirst, resultsMark, useNewestFirst } from "./newestFirst";
import { isRun, withoutFormer } from "./runs";
import styles from "./trail.module.css";

/** The complete log, newest first, with filters and downloads. */
export function TrailTab({ kinds }: { kinds: readonly RecordDefinition[] }) {
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
    <div className={`fl-stack ${styles.trail}`} data-list>
      <FilterBar filters={filters} kinds={kinds} people={people} refusals={refusals} />
      <div className="fl-row">
        <PresetButtons filters={filters} />
        <FilterChips filters={filters} kinds={kinds} people={people} />
        {filters.values.batch !== "" && asOf === null && <UndoRun batch={filters.values.batch} />}
        <TrailStatus trail={trail} />
        <TrailExport filters={filters.values} asOf={asOf} isRefused={refusals.size > 0}>
          <PrintButton
            size="small"
            isDisabled={refusals.size > 0 || trail.stretch?.items.length === 0}
            load={async (task) => {
              const narrowedBy = filterTexts(filters, kinds, people).map(({ text }) => text);
              const { printedTrail } = await import("./printed");
              return printedTrail(filters.values, asOf, kinds, narrowedBy, task);
            }}
          />
          <AuditFileButton
            size="small"
            isDisabled={refusals.size > 0}
            scope={{ ...filters.values, to: endOfTrail(filters.values, asOf) }}
            about={kinds.map(({ api }) => ({ value: api.noun, label: kindTitle(api.noun) }))}
            people={[...people].map(([value, label]) => ({ value, label }))}
            unused={filters.active.filter((name) => !isOfScope(name)).map((name) => FILTER_LABELS[name])}
          />
        </TrailExport>
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

const isOfScope = (name: string) => (SCOPE_NAMES as readonly string[]).includes(name);

const positionOf = ({ position }: AuditedChange) => position;

/** The API's error texts by filter. */
function refusalsOf(error: unknown): ReadonlyMap<string, string> {
  if (!(error instanceof ApiError) || error.status !== 422) return new Map();
  return new Map(error.validationErrors.map(({ field, message }) => [field, message]));
}

interface TrailResultsProps {
  trail: NewestFirst<AuditedChange>;
  kinds: readonly RecordDefinition[];
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
  return (
    <Loaded
      query={{ data: error === undefined || isCurrent ? stretch : undefined, error }}
      what="the audit trail"
      loading="Loading changes..."
      message="The changes could not be loaded. No data is lost."
      onRetry={trail.retry}
    >
      {({ items, next }) => (
        <section
          className={`fl-card ${styles.results}`}
          aria-label="Changes"
          aria-busy={!isCurrent}
          data-waiting={!isCurrent || undefined}
          {...resultsMark}
        >
          {items.length === 0 &&
            next === null &&
            (isFiltered ? (
              <EmptyState
                title="No changes match these filters"
                message="The complete log was searched."
                action={<Button text="Clear All" onClick={onClear} />}
              />
            ) : (
              <EmptyState
                title="No changes yet"
                message="Added, changed and removed drivers, trailers, horses and locations are listed here."
              />
            ))}
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
      )}
    </Loaded>
  );
}

/** The number of changes shown, and of new ones. */
function TrailStatus({ trail }: Pick<TrailResultsProps, "trail">) {
  const { stretch, isCurrent, arrived, showArrived, error } = trail;
  if (stretch === undefined) return null;
  const { items } = stretch;
  const changes = items.some(isRun) ? counted(items.length, "line") : counted(items.length, "change");
  return (
    <div className="fl-row fl-end">
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

const EXPORT_FORMATS = ["csv", "ndjson"] as const;

type ExportFormat = (typeof EXPORT_FORMATS)[number];

interface TrailExportProps {
  filters: AuditFilters;
  asOf: string | null;
  /** Whether the API refused the filters. */
  isRefused: boolean;
  /** A button after those of the downloads. */
  children: ReactNode;
}

/** Downloads of the filtered trail; masked unless the user asks for personal data. */
function TrailExport({ filters, asOf, isRefused, children }: TrailExportProps) {
  const [isRevealing, setRevealing] = useState(false);
  const [isAsking, setAsking] = useState(false);
  const [format, setFormat] = useState<ExportFormat>("csv");
  const { isUnderWay, bytes, download, cancel } = useDownload();
  const { mutate } = useSWRConfig();

  const begin = async (wanted: ExportFormat) => {
    // The next download is masked again by default.
    setRevealing(false);
    await download(trailPath(filters, asOf, { format: wanted, ...(isRevealing && { reveal: "true" }) }), {
      name: `audit.${wanted}`,
      done: "Audit trail downloaded",
      failed: "Failed to download the audit trail",
    });
    // The access was logged, even if the download failed.
    if (isRevealing) void mutate(NEWEST_ACCESSES);
  };

  return (
    <div className="fl-row" data-downloads>
      {EXPORT_FORMATS.map((wanted) => {
        const isBusy = isUnderWay && wanted === format;
        return (
          <Button
            key={wanted}
            icon={<Download />}
            size="small"
            text={isBusy ? "Downloading..." : `Download ${wanted.toUpperCase()}`}
            disabled={isRefused}
            // Not `disabled`, which would lose the focus.
            aria-disabled={isUnderWay}
            aria-busy={isBusy}
            onClick={() => {
              if (isUnderWay) return;
              setFormat(wanted);
              if (isRevealing) setAsking(true);
              else void begin(wanted);
            }}
          />
        );
      })}
      {isUnderWay && <TaskProgress size="small" text={formatMegabytes(bytes)} onCancel={cancel} />}
      {children}
      <Permitted to="audit:reveal">
        <Switch
          className={styles.reveal ?? ""}
          label="With personal data"
          checked={isRevealing}
          onChange={({ currentTarget }) => setRevealing(currentTarget.checked)}
        />
      </Permitted>
      <ConfirmDialog
        isOpen={isAsking}
        title="Download with personal data?"
        message={
          "The file will contain names, reasons and personal values. " +
          "Your name, the time and these filters are recorded in the access log."
        }
        confirmLabel={`Record and download ${format.toUpperCase()}`}
        intent="primary"
        onConfirm={() => {
          setAsking(false);
          void begin(format);
        }}
        onCancel={() => setAsking(false)}
      />
    </div>
  );
}

/** Opens the dialog that undoes all changes of an import or a bulk change. */
function UndoRun({ batch }: { batch: string }) {
  const mayChange = usePermission("fleet:write");
  const [isReading, setReading] = useState(false);
  if (!mayChange) return null;

  const ask = async () => {
    setReading(true);
    try {
      // All of them, whatever other filters are active.
      const path = trailPath(readFilters(new URLSearchParams({ batch })), null);
      const changes = await allItems<AuditedChange>(path);
      const [first] = changes;
      const records = new Set(changes.map(({ entity, id }) => `${entity} ${id}`));
      const isOneKind = changes.every(({ entity }) => entity === first?.entity);
      // Always true for runs of these screens.
      if (first === undefined || !isOneKind || records.size < changes.length) {
        throw new Error("These changes cannot be undone together. Undo them one by one.");
      }
      askBulk({
        entity: first.entity,
        what: "undo",
        records: changes.map(({ id, record_name, version }) => ({ id, name: record_name ?? id, version })),
      });
    } catch (error) {
      const message = refusalText(error) ?? (error instanceof Error ? error.message : undefined);
      toast.show({ title: "Failed to undo", message, intent: "danger" });
    } finally {
      setReading(false);
    }
  };
  return (
    <Button
      icon={<Undo />}
      size="small"
      text="Undo All Changes"
      loading={isReading}
      onClick={() => void ask()}
    />
  );
}
