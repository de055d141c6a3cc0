import { Button } from "@blueprintjs/core";
import { useMemo, useRef, useState } from "react";
import { useNavigate } from "react-router";
import { justAfter } from "@/shared/asOf/asOf";
import { useAsOf } from "@/shared/asOf/useAsOf";
import { AuditFileButton } from "@/shared/auditFile/AuditFileButton";
import { permissionTo, usePermission } from "@/shared/auth/permissions";
import { FilterChoice } from "@/shared/form/FilterChoice";
import {
  actorName,
  type Change,
  type FieldLabels,
  isRestricting,
  kindOf,
  labelOf,
  namedChanges,
} from "@/shared/history";
import { useAddressParams } from "@/shared/table/useAddressParams";
import { EmptyState, HiddenRemark, Loaded } from "@/shared/ui";
import { type RecordProps, recordPath } from "../definition";
import { readComparison } from "../paths";
import { askUndo, undoneIn, useMayUndo } from "../undo/undoStore";
import { CompareDialog } from "./CompareDialog";
import { byDay, HistoryEntry } from "./HistoryEntry";
import styles from "./history.module.css";
import { RestoreDialog } from "./RestoreDialog";
import { type HistoryQuery, useHistory } from "./useHistory";

/** A record's complete history, latest first. */
export function HistoryTab({ definition, id }: RecordProps) {
  const history = useHistory(definition.api, id);
  return (
    <Loaded
      query={{ data: history.changes, error: history.error }}
      what="the history"
      loading="Loading history..."
      onRetry={() => void history.retry()}
      missing={
        <EmptyState title="No history" message={`No ${definition.api.noun} with this ID has ever existed.`} />
      }
    >
      {(changes) => <LoadedHistory definition={definition} id={id} history={history} changes={changes} />}
    </Loaded>
  );
}

/** Entries rendered at first, and added by each "Show older changes". */
const STEP = 50;

interface LoadedHistoryProps extends RecordProps {
  history: HistoryQuery;
  changes: readonly Change[];
}

/** A loaded history by day, with filters, comparison, restore and undo. */
function LoadedHistory({ definition, id, history, changes }: LoadedHistoryProps) {
  const { later, hasMore, isLoadingMore, loadMore } = history;
  const { api, labels } = definition;
  const named = useMemo(
    () => changes.map((change) => ({ ...change, changes: namedChanges(labels, change) })),
    [changes, labels],
  );
  const people = useMemo(() => personChoices(changes), [changes]);
  const { asOf } = useAsOf();
  const [filter, setFilter] = useState(EVERYTHING);
  const [shown, setShown] = useState(STEP);
  const [restoring, setRestoring] = useState<number>();
  const comparison = useComparison();
  // Restoring brings back personal data.
  const mayRestore = usePermission(permissionTo("remove", api), "personal:read") && later === 0;
  const mayUndo = useMayUndo(api);
  const undone = useMemo(() => undoneIn(changes), [changes]);
  const seesReceipts = usePermission("privacy:restrict");
  const found = named.filter(
    ({ changes: fields, actor }) =>
      (filter.field === "" || fields.some(({ field }) => field === filter.field)) &&
      (filter.person === "" || actor?.sub === filter.person),
  );
  const latest = changes[0];
  const isRestricted = latest !== undefined && isRestricting(latest.type);
  // Values before an erasure cannot be restored.
  const erasedBy = changes.find(({ type }) => kindOf(type) === "erased")?.version ?? 0;
  const undo = ({ version, undoes }: Change) => {
    const what = `version ${version} of ${api.noun} ${id}`;
    askUndo({ entity: api.noun, id, version, what, isUndo: typeof undoes === "number" });
  };

  return (
    <div className="fl-stack">
      <div className={styles.toolbar}>
        <HistoryFilters
          changes={named}
          labels={labels}
          people={people}
          filter={filter}
          onChange={setFilter}
        />
        <div className="fl-row">
          <Button
            text={
              comparison.picked.length === 2
                ? `Compare ${comparison.picked.map((version) => `v${version}`).join(" and ")}`
                : "Select two versions to compare"
            }
            disabled={comparison.picked.length < 2}
            onClick={comparison.open}
          />
          <AuditFileButton
            scope={{
              ...{ entity: api.noun, id, actor: filter.person, from: "" },
              to: asOf === null ? "" : justAfter(asOf),
            }}
            about={`${api.noun} ${id}`}
            people={people}
          />
        </div>
      </div>
      {changes.some(({ masked }) => masked) && <HiddenRemark />}
      {later > 0 && (
        <p className="fl-muted" role="status">
          {later === 1 ? "One later change is" : `${later} later changes are`} not shown: the history ends at
          the selected moment.
        </p>
      )}
      {found.length === 0 && (
        <EmptyState
          title="No changes found"
          message={changes.length > 0 ? "No change matches these filters." : "No changes up to that moment."}
        />
      )}
      {byDay(found.slice(0, shown)).map(([day, items]) => (
        <section key={day} className="fl-card" aria-label={day}>
          <h2 className={styles.day}>{day}</h2>
          <ol>
            {items.map((change) => (
              <HistoryEntry
                key={change.version}
                change={change}
                labels={labels}
                paths={definition.paths}
                id={id}
                isLatest={later === 0 && change.version === latest?.version}
                isPicked={comparison.picked.includes(change.version)}
                onPick={(isPicked) => comparison.pick(change.version, isPicked)}
                onRestore={
                  mayRestore && !isRestricted && change.version > erasedBy
                    ? () => setRestoring(change.version)
                    : undefined
                }
                onUndo={
                  later === 0 &&
                  !isRestricted &&
                  change.version > erasedBy &&
                  !undone.has(change.version) &&
                  mayUndo(change)
                    ? () => undo(change)
                    : undefined
                }
                receipt={
                  seesReceipts && kindOf(change.type) === "erased"
                    ? `${recordPath(api, id)}/privacy/receipt?version=${change.version}`
                    : undefined
                }
              />
            ))}
          </ol>
        </section>
      ))}
      {(found.length > shown || hasMore) && (
        <Button
          className="fl-at-start"
          text="Show older changes"
          loading={isLoadingMore}
          onClick={() => {
            setShown(shown + STEP);
            if (found.length <= shown + STEP && hasMore) loadMore();
          }}
        />
      )}
      {comparison.shown && (
        <CompareDialog
          definition={definition}
          id={id}
          versions={comparison.shown}
          changes={changes}
          onClose={comparison.close}
        />
      )}
      {latest && restoring !== undefined && (
        <RestoreDialog
          definition={definition}
          id={id}
          version={restoring}
          latest={latest}
          onRestored={() => void history.retry()}
          onClose={() => setRestoring(undefined)}
        />
      )}
    </div>
  );
}

/** The versions selected for comparison, and those compared according to the address. */
function useComparison() {
  const [params, update] = useAddressParams();
  const shown = readComparison(params);
  const [picked, setPicked] = useState<readonly number[]>(shown ?? []);
  const navigate = useNavigate();
  // Not after a reload, when the entry before may be another screen.
  const canGoBack = useRef(false);
  return {
    shown,
    picked,
    pick: (version: number, isPicked: boolean) => {
      const others = picked.filter((other) => other !== version);
      // A third selection replaces the older one.
      setPicked(isPicked ? [...others.slice(-1), version].sort((a, b) => a - b) : others);
    },
    open: () => {
      canGoBack.current = true;
      update({ compare: picked.join("-") }, true);
    },
    close: () => {
      if (canGoBack.current) void navigate(-1);
      else update({ compare: null });
    },
  };
}

/** An empty value matches every change. */
interface HistoryFilter {
  /** Label as in `namedChanges`. */
  field: string;
  /** Subject of the author. */
  person: string;
}

const EVERYTHING: HistoryFilter = { field: "", person: "" };

interface HistoryFiltersProps {
  /** All changes, which determine the choices. */
  changes: readonly Change[];
  labels: FieldLabels;
  people: ReturnType<typeof personChoices>;
  filter: HistoryFilter;
  onChange: (filter: HistoryFilter) => void;
}

function HistoryFilters({ changes, labels, people, filter, onChange }: HistoryFiltersProps) {
  const fields = useMemo(() => fieldChoices(changes, labels), [changes, labels]);
  const isActive = filter.field !== "" || filter.person !== "";
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset's legend cannot be laid out in a row
    <div role="group" aria-label="Filters" className={styles.filters}>
      <FilterChoice
        label="Field"
        all="All fields"
        choices={fields}
        value={filter.field}
        onChange={(field) => onChange({ ...filter, field })}
      />
      <FilterChoice
        label="Person"
        all="Everyone"
        choices={people}
        value={filter.person}
        onChange={(person) => onChange({ ...filter, person })}
      />
      {isActive && <Button variant="minimal" text="Clear" onClick={() => onChange(EVERYTHING)} />}
    </div>
  );
}

/** Return the changed fields in the form's order, then any others. */
function fieldChoices(changes: readonly Change[], labels: FieldLabels) {
  const changed = new Set(changes.flatMap((change) => change.changes.map(({ field }) => field)));
  const known = [...labels.keys()].filter((field) => changed.delete(field));
  return [...known, ...[...changed].sort()].map((field) => ({ value: field, label: labelOf(labels, field) }));
}

function personChoices(changes: readonly Change[]) {
  const names = new Map<string, string>();
  // The latest change has the person's current name.
  for (const { actor } of changes) {
    if (actor && !names.has(actor.sub)) names.set(actor.sub, actorName(actor));
  }
  return [...names]
    .map(([value, label]) => ({ value, label }))
    .sort((a, b) => a.label.localeCompare(b.label));
}
