import { Link } from "react-router";
import { TO_THE_PRESENT } from "@/shared/asOf";
import { usePermission } from "@/shared/auth/permissions";
import { formatMoment } from "@/shared/format/MomentText";
import { relativeTime } from "@/shared/format/relativeTime";
import {
  ActorText,
  type AuditedChange,
  type ChangeKind,
  changeTitle,
  kindOf,
  labelOf,
  namedChanges,
} from "@/shared/history";
import { type AuditedKind, recordOf } from "../kinds";
import { RecordRemark, recordTitle } from "../RecordText";
import { inWords } from "../words";
import styles from "./activity.module.css";

interface ActivityEntryProps {
  change: AuditedChange;
  kinds: readonly AuditedKind[];
  /** In milliseconds. */
  now: number;
  /** It came while the panel was open. */
  isNew: boolean;
  onLeave: () => void;
}

/** One change as a sentence: `Asha Rao changed City, Email of driver Ravi Kumar EMP-001`. */
export function ActivityEntry({ change, kinds, now, isNew, onLeave }: ActivityEntryProps) {
  const { kind, path } = recordOf(kinds, change);
  const mayFollow = usePermission("fleet:read", "history:read");
  const title = recordTitle(kinds, change);
  const record = title.charAt(0).toLowerCase() + title.slice(1);
  return (
    <li className={styles.entry} data-new={isNew || undefined}>
      <p className={styles.sentence}>
        <span className={styles.person}>
          <ActorText of={change} />
        </span>{" "}
        {doneTo(change, kind)}{" "}
        {path === undefined || !mayFollow ? (
          record
        ) : (
          <Link to={`${path}?tab=history`} state={TO_THE_PRESENT} onClick={onLeave}>
            {record}
          </Link>
        )}{" "}
        <span className={styles.remark}>
          <RecordRemark change={change} />
        </span>
      </p>
      <p className={styles.when}>
        {isNew && <span className={styles.mark}>New</span>}
        <time dateTime={change.moment} title={formatMoment(change.moment, true)}>
          {relativeTime(change.moment, now)}
        </time>
      </p>
    </li>
  );
}

/** What changes are told as that are not told by their fields. */
const DONE: Readonly<Record<Exclude<ChangeKind, "details_changed" | "hold_set">, string>> = {
  registered: "registered",
  removed: "removed",
  restricted: "restricted",
  restriction_lifted: "lifted the restriction of",
  erased: "erased",
};

/** `changed City of`, `registered`, `removed`. */
function doneTo(change: AuditedChange, kind: AuditedKind | undefined): string {
  const done = kindOf(change.type);
  if (done === undefined) return `made “${changeTitle(change.type)}” of`;
  if (done === "hold_set") return change.hold_until ? "set a legal hold on" : "ended the legal hold on";
  if (done !== "details_changed") return DONE[done];
  const labels = kind?.labels ?? new Map();
  const names = namedChanges(labels, change).map(({ field }) => labelOf(labels, field));
  return names.length === 0 ? "changed nothing of" : `changed ${inWords(names)} of`;
}
