import { Button, Checkbox } from "@blueprintjs/core";
import { Duplicate, EyeOpen, History, Reset, Undo } from "@blueprintjs/icons";
import type { ReactNode } from "react";
import { useNavigate } from "react-router";
import { justBefore, useAsOf, withAsOf } from "@/shared/asOf";
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
import { OtherRecordText } from "@/shared/history/otherRecord";
import { DownloadButton } from "@/shared/privacy/DownloadButton";
import { RowMenu } from "@/shared/table/RowMenu";
import { copyText } from "@/shared/toast";
import { Hidden, LinkButton } from "@/shared/ui";
import { type RecordPaths, viewPath } from "../paths";
import styles from "./history.module.css";

interface HistoryEntryProps {
  /** With labels as in the forms. */
  change: Change;
  labels: FieldLabels;
  paths: RecordPaths;
  id: string;
  /** The change made the current version. */
  isLatest: boolean;
  /** Selected for comparison. */
  isPicked: boolean;
  onPick: (isPicked: boolean) => void;
  /** Undefined if the version cannot be restored. */
  onRestore: (() => void) | undefined;
  /** Undefined if the change cannot be undone. */
  onUndo: (() => void) | undefined;
  /** API path of the erasure's receipt; undefined without one, or without permission. */
  receipt: string | undefined;
}

/** A change in a record's history, with its actions. */
export function HistoryEntry(props: HistoryEntryProps) {
  const { change, labels, paths, id, isLatest, isPicked, onPick, receipt } = props;
  const { version, moment } = change;
  const reason = reasonText(change);
  return (
    <li className={styles.entry} aria-label={`Version ${version}`}>
      <Checkbox
        className={styles.pick ?? ""}
        checked={isPicked}
        aria-label={`Compare version ${version}`}
        onChange={(event) => onPick(event.currentTarget.checked)}
      />
      <div className="fl-fill fl-grid">
        <div className={styles.entryHead}>
          <span className="fl-strong">v{version}</span>
          <ChangeBadge change={change} />
          <OtherRecordText change={change} pathOf={(other) => viewPath(paths, other)} />
          <span className="fl-strong">
            <ActorText of={change} />
          </span>
          <span className="fl-muted">
            <time dateTime={moment} title={moment}>
              {toTime.format(Date.parse(moment))}
            </time>
          </span>
          {isLatest && !isEnd(change.type) && <span className={styles.current}>Current</span>}
          {isMasked(change, "request_id") && <Hidden text="Request hidden" />}
          <EntryActions {...props} />
        </div>
        {reason && <blockquote className={styles.reason}>{reason}</blockquote>}
        <EntryChanges change={change} labels={labels} />
        {receipt && (
          <div>
            <DownloadButton text="Receipt" path={receipt} fallback={`receipt-${id}-${version}.json`} />
          </div>
        )}
      </div>
    </li>
  );
}

/** A change's actions: some as buttons, all in a menu, which phones show alone. */
function EntryActions({ change, paths, id, isLatest, onRestore, onUndo }: HistoryEntryProps) {
  const { version, moment, request_id } = change;
  const { addressOf } = useAsOf();
  const navigate = useNavigate();
  const isRemoval = isEnd(change.type);
  // Before the first change there is no record: the list shows that moment.
  const before = withAsOf(version > 1 ? viewPath(paths, id) : paths.list, justBefore(moment));
  const here = addressOf(`${viewPath(paths, id)}?version=${version}`);
  const links = [
    ...(isRemoval ? [] : [{ to: here, icon: <EyeOpen />, text: "View this version" }]),
    { to: before, icon: <History />, text: "View before this change" },
  ];
  const restore =
    onRestore && !isRemoval && !isLatest ? [{ text: "Restore…", icon: <Reset />, onSelect: onRestore }] : [];
  const undo = onUndo ? [{ text: "Undo this change", icon: <Undo />, onSelect: onUndo }] : [];
  const shortId = request_id && request_id.length > 16 ? `${request_id.slice(0, 12)}…` : request_id;
  const copy = () => void copyText(request_id ?? "", "Request id copied");
  return (
    <div className={styles.actions}>
      <div className={styles.direct}>
        {links.map((link) => (
          <LinkButton key={link.text} {...link} />
        ))}
        {restore.map(({ text, icon, onSelect }) => (
          <Button key={text} text={text} icon={icon} onClick={onSelect} />
        ))}
      </div>
      <RowMenu
        label={`More of version ${version}`}
        actions={[
          ...links.map(({ to, ...link }) => ({ ...link, onSelect: () => void navigate(to) })),
          ...restore,
          ...undo,
          ...(shortId ? [{ text: `Copy request id ${shortId}`, icon: <Duplicate />, onSelect: copy }] : []),
        ]}
      />
    </div>
  );
}

/** More fields are listed line by line. */
const MAX_INLINE = 4;

function EntryChanges({ change, labels }: { change: Change; labels: FieldLabels }): ReactNode {
  const { changes, type } = change;
  if (changes.length === 0) return null;
  if (kindOf(type) !== "registered") {
    return <FieldChanges changes={changes} labels={labels} isInline={changes.length <= MAX_INLINE} />;
  }
  return (
    <details className={styles.values}>
      <summary>With {changes.length === 1 ? "one value" : `${changes.length} values`}</summary>
      <FieldChanges changes={changes} labels={labels} isFirst />
    </details>
  );
}

const toDay = new Intl.DateTimeFormat("en-IN", { dateStyle: "full" });
const toTime = new Intl.DateTimeFormat("en-IN", { timeStyle: "medium" });

/** Group changes, latest first, by day in the reader's time zone. */
export function byDay(changes: readonly Change[]): readonly (readonly [day: string, changes: Change[]])[] {
  const days = new Map<string, Change[]>();
  for (const change of changes) {
    const day = toDay.format(Date.parse(change.moment));
    days.set(day, [...(days.get(day) ?? []), change]);
  }
  return [...days];
}
