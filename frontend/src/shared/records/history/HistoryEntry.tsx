import { Button, Checkbox } from "@blueprintjs/core";
import { EyeOpen, History, Undo } from "@blueprintjs/icons";
import type { ReactNode } from "react";
import { justBefore, useAsOf, withAsOf } from "@/shared/asOf";
import { MomentText } from "@/shared/format/MomentText";
import {
  ActorText,
  type Change,
  ChangeBadge,
  FieldChanges,
  type FieldLabels,
  isEnd,
  isMasked,
  kindOf,
  reasonText,
} from "@/shared/history";
import { DownloadButton } from "@/shared/privacy/DownloadButton";
import { Hidden, LinkButton } from "@/shared/ui";
import { type RecordPaths, viewPath } from "../paths";
import styles from "./history.module.css";
import { versionAddress } from "./paths";

interface HistoryEntryProps {
  /** In the screens' words. */
  change: Change;
  labels: FieldLabels;
  paths: RecordPaths;
  id: string;
  /** The record is today what this change made it. */
  isLatest: boolean;
  /** Whether it is one of the two to be compared. */
  isPicked: boolean;
  onPick: (isPicked: boolean) => void;
  /** Without it nothing can be restored: the past is read-only. */
  onRestore: (() => void) | undefined;
  /** Of the API: the proof of what this change has erased. Without it there is none, or not for this reader. */
  receipt: string | undefined;
}

/** One change in a record's history, and the ways to look further. */
export function HistoryEntry(props: HistoryEntryProps) {
  const { change, labels, paths, id, isLatest, isPicked, onPick, onRestore, receipt } = props;
  const { version, moment } = change;
  const { addressOf } = useAsOf();
  const reason = reasonText(change);
  const isRemoval = isEnd(change.type);
  // Before its first change there was no record to look at: the list shows that.
  const before = withAsOf(version > 1 ? viewPath(paths, id) : paths.list, justBefore(moment));
  return (
    <li className={`fl-card ${styles.entry}`} aria-label={`Version ${version}`}>
      <Checkbox
        className={styles.pick ?? ""}
        checked={isPicked}
        aria-label={`Compare version ${version}`}
        onChange={(event) => onPick(event.currentTarget.checked)}
      />
      <div className={styles.entryBody}>
        <div className={styles.entryHead}>
          <span className={styles.version}>v{version}</span>
          <ChangeBadge change={change} />
          <span className={styles.person}>
            <ActorText of={change} />
          </span>
          <span className="fl-muted">
            <MomentText moment={moment} isExact />
          </span>
          {isLatest && !isRemoval && <span className={styles.current}>Current</span>}
        </div>
        {reason && <blockquote className={styles.reason}>{reason}</blockquote>}
        <EntryChanges change={change} labels={labels} />
        <div className={styles.actions}>
          {!isRemoval && (
            <LinkButton
              to={addressOf(versionAddress(paths, id, version))}
              icon={<EyeOpen />}
              text="View this version"
            />
          )}
          <LinkButton to={before} icon={<History />} text="As before this change" />
          {onRestore && !isRemoval && !isLatest && (
            <Button icon={<Undo />} text="Restore…" onClick={onRestore} />
          )}
          {receipt && (
            <DownloadButton text="Receipt" path={receipt} fallback={`receipt-${id}-${version}.json`} />
          )}
        </div>
        {change.request_id !== null && (
          <p className={styles.request}>
            Request <code>{change.request_id}</code>
          </p>
        )}
        {isMasked(change, "request_id") && (
          <p className={styles.request}>
            <Hidden text="Request hidden" />
          </p>
        )}
      </div>
    </li>
  );
}

function EntryChanges({ change, labels }: { change: Change; labels: FieldLabels }): ReactNode {
  const { changes, type } = change;
  if (changes.length === 0) return null;
  const isFirst = kindOf(type) === "registered";
  const list = <FieldChanges changes={changes} labels={labels} isFirst={isFirst} />;
  if (!isFirst) return list;
  return (
    <details className={styles.values}>
      <summary>With {changes.length === 1 ? "one value" : `${changes.length} values`}</summary>
      {list}
    </details>
  );
}
