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
import { DownloadButton } from "@/shared/privacy/DownloadButton";
import { RowMenu } from "@/shared/table/RowMenu";
import { copyText } from "@/shared/toast";
import { Hidden, LinkButton } from "@/shared/ui";
import { type RecordPaths, versionAddress, viewPath } from "../paths";
import styles from "./history.module.css";

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
  /** Without it the change cannot be undone, or not by this reader. */
  onUndo: (() => void) | undefined;
  /** Of the API: the proof of what this change has erased. Without it there is none, or not for this reader. */
  receipt: string | undefined;
}

/** One change in a record's history, and the ways to look further. */
export function HistoryEntry(props: HistoryEntryProps) {
  const { change, labels, id, isLatest, isPicked, onPick, receipt } = props;
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
      <div className={styles.entryBody}>
        <div className={styles.entryHead}>
          <span className={styles.version}>v{version}</span>
          <ChangeBadge change={change} />
          <span className={styles.person}>
            <ActorText of={change} />
          </span>
          <span className="fl-muted">
            <TimeText moment={moment} />
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

/** The ways to look further: they show where the reader is, and are all in a menu, which is there on phones too. */
function EntryActions({ change, paths, id, isLatest, onRestore, onUndo }: HistoryEntryProps) {
  const { version, moment, request_id } = change;
  const { addressOf } = useAsOf();
  const navigate = useNavigate();
  const isRemoval = isEnd(change.type);
  // Before its first change there was no record to look at: the list shows that.
  const before = withAsOf(version > 1 ? viewPath(paths, id) : paths.list, justBefore(moment));
  const links = [
    ...(isRemoval
      ? []
      : [
          { to: addressOf(versionAddress(paths, id, version)), icon: <EyeOpen />, text: "View this version" },
        ]),
    { to: before, icon: <History />, text: "As before this change" },
  ];
  const restore =
    onRestore && !isRemoval && !isLatest ? [{ text: "Restore…", icon: <Reset />, onSelect: onRestore }] : [];
  const undo = onUndo ? [{ text: "Undo this change", icon: <Undo />, onSelect: onUndo }] : [];
  const copy =
    request_id === null
      ? []
      : [
          {
            text: `Copy request id ${beginning(request_id)}`,
            icon: <Duplicate />,
            onSelect: () => void copyText(request_id, "Request id copied"),
          },
        ];
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
          ...copy,
        ]}
      />
    </div>
  );
}

/** As much of an id as tells it from others. */
function beginning(text: string): string {
  return text.length > 16 ? `${text.slice(0, 12)}…` : text;
}

/** More fields than so many are a list. */
const IN_A_SENTENCE = 4;

function EntryChanges({ change, labels }: { change: Change; labels: FieldLabels }): ReactNode {
  const { changes, type } = change;
  if (changes.length === 0) return null;
  const isFirst = kindOf(type) === "registered";
  if (!isFirst) {
    return <FieldChanges changes={changes} labels={labels} isInline={changes.length <= IN_A_SENTENCE} />;
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

/** What happened on one day, by the reader's clock. */
interface Day<Item> {
  title: string;
  items: readonly Item[];
}

/** Puts what stands in the order of time together by days. */
export function byDay<Item extends { moment: string }>(items: readonly Item[]): readonly Day<Item>[] {
  const days = new Map<string, Item[]>();
  for (const item of items) {
    const title = toDay.format(Date.parse(item.moment));
    const others = days.get(title);
    if (others === undefined) days.set(title, [item]);
    else others.push(item);
  }
  return [...days].map(([title, of]) => ({ title, items: of }));
}

/** When on its day something happened; its tooltip has all that is known. */
function TimeText({ moment }: { moment: string }) {
  return (
    <time dateTime={moment} title={moment}>
      {toTime.format(Date.parse(moment))}
    </time>
  );
}
