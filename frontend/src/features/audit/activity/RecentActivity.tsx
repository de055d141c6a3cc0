import { Button } from "@blueprintjs/core";
import { Undo } from "@blueprintjs/icons";
import { useEffect, useMemo, useState } from "react";
import { Link } from "react-router";
import { useSWRConfig } from "swr";
import type { Page } from "@/shared/api/useApiPages";
import { useApiQuery } from "@/shared/api/useApiQuery";
import { TO_THE_PRESENT, useAsOf } from "@/shared/asOf";
import { counted } from "@/shared/format/counted";
import { formatMoment } from "@/shared/format/MomentText";
import { relativeTime } from "@/shared/format/relativeTime";
import { useNow } from "@/shared/format/useNow";
import {
  ActorText,
  type AuditedChange,
  type ChangeKind,
  changeTitle,
  kindOf,
  labelOf,
  namedChanges,
  reasonText,
  reminderText,
} from "@/shared/history";
import type { RecordDefinition } from "@/shared/records";
import { askUndo, undoneIn, useMayUndo } from "@/shared/records/undo/undoStore";
import { EmptyState, Loaded, Notice } from "@/shared/ui";
import { SidePanel } from "@/shared/ui/SidePanel";
import { definitionOf, RecordRemark, recordPath, recordTitle, useMayFollow } from "../kinds";
import { AUDIT_PATH } from "../routes";
import { isRun, runPath, runText } from "../runs";
import styles from "./activity.module.css";

/** The polling interval of the open panel in milliseconds; paused while the page is hidden. */
const POLL_INTERVAL = 10_000;
const SHOWN = 30;
const PATH = `/api/v1/audit?order=desc&runs=once&limit=${SHOWN}`;

interface RecentActivityProps {
  isOpen: boolean;
  onClose: () => void;
  kinds: readonly RecordDefinition[];
}

/** A side panel with the latest changes by anyone, polled while open. */
export function RecentActivity({ isOpen, onClose, kinds }: RecentActivityProps) {
  const { asOf } = useAsOf();
  return (
    <SidePanel title="Recent activity" isOpen={isOpen} onClose={onClose}>
      {asOf !== null && <p className={styles.note}>Shows the present. Links leave the moment in view.</p>}
      <ActivityList kinds={kinds} onLeave={onClose} />
      <div className={styles.foot}>
        <Link to={AUDIT_PATH} state={TO_THE_PRESENT} onClick={onClose}>
          Open audit trail
        </Link>
      </div>
    </SidePanel>
  );
}

const POLLING = { refreshInterval: POLL_INTERVAL };

interface ActivityListProps {
  kinds: readonly RecordDefinition[];
  /** A link was followed. */
  onLeave: () => void;
}

function ActivityList({ kinds, onLeave }: ActivityListProps) {
  const { answer, data, error } = useApiQuery<Page<AuditedChange>>(PATH, POLLING);
  const { mutate } = useSWRConfig();
  const retry = () => void mutate(PATH);
  /** The newest position when the panel was opened. */
  const [seen = Number.POSITIVE_INFINITY, setSeen] = useState<number>();
  /** The time of the last response in milliseconds. */
  const [readAt, setReadAt] = useState(() => Date.now());
  const now = Math.max(useNow(POLL_INTERVAL), readAt);
  const changes = data?.content;
  const undone = useMemo(() => undoneAmong(changes ?? []), [changes]);
  const count = changes?.filter(({ position }) => position > seen).length ?? 0;

  useEffect(() => {
    if (changes !== undefined) setSeen((before) => before ?? changes[0]?.position ?? 0);
  }, [changes]);
  useEffect(() => {
    if (answer !== undefined) setReadAt(Date.now());
  }, [answer]);

  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: arrow keys scroll it
    <section className={styles.scroll} aria-label="Last changes" tabIndex={0}>
      <p className="fl-visually-hidden" role="status">
        {count > 0 && counted(count, "new change")}
      </p>
      {error !== undefined && changes !== undefined && (
        <Notice role="alert" intent="warning" action={<Button text="Try Again" onClick={retry} />}>
          Could not be refreshed. Showing data from {formatMoment(new Date(readAt).toISOString(), true)}.
        </Notice>
      )}
      <Loaded
        query={{ data: changes, error }}
        what="recent activity"
        message="The latest changes could not be read."
        onRetry={retry}
      >
        {(shown) =>
          shown.length === 0 ? (
            <EmptyState title="No changes yet" message="Changes by anyone appear here." />
          ) : (
            <ol>
              {shown.map((change) => {
                const { batch, position, moment } = change;
                const isNew = position > seen;
                return (
                  <li
                    key={isRun(change) ? batch : position}
                    className={styles.entry}
                    data-new={isNew || undefined}
                  >
                    <p className={styles.sentence}>
                      <span className="fl-strong">
                        <ActorText of={change} />
                      </span>{" "}
                      <Activity change={change} kinds={kinds} onLeave={onLeave} />
                    </p>
                    <p className="fl-muted fl-flex fl-gap-8 fl-small">
                      {isNew && <span className={styles.mark}>New</span>}
                      <time dateTime={moment} title={formatMoment(moment, true)}>
                        {relativeTime(moment, now)}
                      </time>
                      {undone.has(change) ? "Undone" : <UndoButton change={change} kinds={kinds} />}
                    </p>
                  </li>
                );
              })}
            </ol>
          )
        }
      </Loaded>
    </section>
  );
}

/** The changes that a later one of the list has undone. */
function undoneAmong(changes: readonly AuditedChange[]): ReadonlySet<AuditedChange> {
  const isOf =
    ({ entity, id }: AuditedChange) =>
    (other: AuditedChange) =>
      other.entity === entity && other.id === id;
  return new Set(changes.filter((change) => undoneIn(changes.filter(isOf(change))).has(change.version)));
}

interface ActivityProps extends ActivityListProps {
  change: AuditedChange;
}

/** A change or a run as the rest of a sentence: `changed City, Email of driver Ravi Kumar EMP-001`. */
function Activity({ change, kinds, onLeave }: ActivityProps) {
  const path = recordPath(kinds, change);
  const mayFollow = useMayFollow(kinds, change);
  if (isRun(change)) {
    return (
      <>
        in bulk:{" "}
        <Link to={runPath(change)} state={TO_THE_PRESENT} onClick={onLeave}>
          {runText(change)}
        </Link>{" "}
        <span className="fl-muted">{reasonText(change)}</span>
      </>
    );
  }
  const record = recordText(change);
  return (
    <>
      {doneTo(change, kinds)}{" "}
      {path === undefined || !mayFollow ? (
        record
      ) : (
        <Link to={`${path}?tab=history`} state={TO_THE_PRESENT} onClick={onLeave}>
          {record}
        </Link>
      )}{" "}
      <span className="fl-muted fl-nowrap">
        <RecordRemark change={change} />
      </span>
      {change.into && <span> into {change.into}</span>}
      {change.undoes && <span>, undoing version {change.undoes}</span>}
    </>
  );
}

function UndoButton({ change, kinds }: Omit<ActivityProps, "onLeave">) {
  const { entity, id, version, undoes } = change;
  const { asOf } = useAsOf();
  const mayUndo = useMayUndo(definitionOf(kinds, entity)?.api)(change);
  if (!mayUndo || asOf !== null || isRun(change) || definitionOf(kinds, entity) === undefined) return null;
  const what = `${doneTo(change, kinds)} ${recordText(change)}`;
  return (
    <Button
      className="fl-end"
      size="small"
      variant="minimal"
      icon={<Undo />}
      text="Undo"
      aria-label={`Undo: ${what}`}
      onClick={() => askUndo({ entity, id, version, what, isUndo: typeof undoes === "number" })}
    />
  );
}

function recordText(change: AuditedChange): string {
  const title = recordTitle(change);
  return title.charAt(0).toLowerCase() + title.slice(1);
}

/** Sentences of the changes that do not list fields. */
const DONE: Readonly<
  Record<
    Exclude<
      ChangeKind,
      "details_changed" | "hold_set" | "reminder_acknowledged" | "merged" | "possible_duplicate_dismissed"
    >,
    string
  >
> = {
  merged_into: "merged",
  registered: "registered",
  removed: "removed",
  restricted: "restricted",
  restriction_lifted: "lifted the restriction of",
  erased: "erased",
  delivery_given_up: "gave up the deliveries of",
  delivery_resumed: "resumed the deliveries of",
};

/** `changed City of`, `registered`, `removed`. */
function doneTo(change: AuditedChange, kinds: readonly RecordDefinition[]): string {
  const done = kindOf(change.type);
  if (done === undefined) return `made “${changeTitle(change.type)}” of`;
  if (done === "hold_set") return change.hold_until ? "set a legal hold on" : "ended the legal hold on";
  if (done === "reminder_acknowledged")
    return `acknowledged the reminder for the ${reminderText(change)}${change.until ? "," : ""} of`;
  if (done === "merged") return `merged ${change.source} into`;
  if (done === "possible_duplicate_dismissed") {
    return change.dismissed === false
      ? `listed ${change.other} again as a possible duplicate of`
      : `dismissed ${change.other} as a duplicate of`;
  }
  if (done !== "details_changed") return DONE[done];
  const labels = definitionOf(kinds, change.entity)?.labels ?? new Map();
  const names = namedChanges(labels, change).map(({ field }) => labelOf(labels, field));
  return names.length === 0 ? "changed nothing of" : `changed ${inWords(names)} of`;
}

/** `City, Email and 3 more`. */
function inWords(names: readonly string[]): string {
  const shown = names.slice(0, names.length <= 3 ? 3 : 2);
  const rest = names.length - shown.length;
  return shown.join(", ") + (rest > 0 ? ` and ${rest} more` : "");
}
