import { memo } from "react";
import { Link } from "react-router";
import { useAsOf } from "@/shared/asOf/useAsOf";
import { usePermission } from "@/shared/auth/permissions";
import { MomentText } from "@/shared/format/MomentText";
import {
  type Actor,
  type AuditedChange,
  actorName,
  ChangeBadge,
  isMasked,
  NoName,
  RequestId,
  reasonText,
} from "@/shared/history";
import { Hidden } from "@/shared/ui";
import { ChangedFields } from "./ChangedFields";
import { type AuditedKind, changePath } from "./kinds";
import { RecordRemark, recordTitle } from "./RecordText";
import styles from "./trail.module.css";

interface ChangeEntryProps {
  change: AuditedChange;
  kinds: readonly AuditedKind[];
  /** Somebody wants only this person's changes. */
  onPerson: (sub: string) => void;
}

/** One change in the trail. */
export const ChangeEntry = memo(({ change, kinds, onPerson }: ChangeEntryProps) => (
  <li className={styles.entry}>
    <div>
      <MomentText moment={change.moment} isExact />
    </div>
    <div className={styles.who}>
      <Person actor={change.actor} onPerson={onPerson} />
      <NoName of={change} />
    </div>
    <div className={styles.what}>
      <ChangeBadge change={change} />
      <span className={styles.record}>
        <RecordLink change={change} kinds={kinds} />
        <span className={styles.version}>
          <RecordRemark change={change} /> version {change.version}
        </span>
      </span>
    </div>
    <div className={styles.details}>
      <ChangedFields change={change} kinds={kinds} />
      <Reason change={change} />
    </div>
    <div className={styles.request}>
      {change.request_id && <RequestId id={change.request_id} />}
      {isMasked(change, "request_id") && <Hidden />}
    </div>
  </li>
));
ChangeEntry.displayName = "ChangeEntry";

function Person({ actor, onPerson }: { actor: Actor | null; onPerson: (sub: string) => void }) {
  const name = actorName(actor);
  if (actor === null) return <span className={styles.unknown}>{name}</span>;
  return (
    <button
      type="button"
      className={styles.person}
      title={`Only changes by ${name}${name === actor.sub ? "" : ` (${actor.sub})`}`}
      onClick={() => onPerson(actor.sub)}
    >
      {name}
    </button>
  );
}

function Reason({ change }: Pick<ChangeEntryProps, "change">) {
  const reason = reasonText(change);
  if (!reason) return null;
  return (
    <p className={styles.reason}>
      {change.reason && "Reason: "}
      {reason}
    </p>
  );
}

function RecordLink({ change, kinds }: Pick<ChangeEntryProps, "change" | "kinds">) {
  const { addressOf } = useAsOf();
  const mayFollow = usePermission("fleet:read", "history:read");
  const path = mayFollow ? changePath(kinds, change) : undefined;
  const text = recordTitle(kinds, change);
  return path === undefined ? text : <Link to={addressOf(path)}>{text}</Link>;
}
