import { Button } from "@blueprintjs/core";
import { ChevronDown, ChevronUp } from "@blueprintjs/icons";
import { memo, useId, useState } from "react";
import { Link } from "react-router";
import { useAsOf } from "@/shared/asOf/useAsOf";
import { counted } from "@/shared/format/counted";
import { MomentText } from "@/shared/format/MomentText";
import {
  type Actor,
  type AuditedChange,
  actorName,
  ChangeBadge,
  FieldChanges,
  type FieldLabels,
  isMasked,
  kindOf,
  NoName,
  namedChanges,
  RequestId,
  reasonText,
} from "@/shared/history";
import type { RecordDefinition } from "@/shared/records";
import { Hidden, StatusBadge } from "@/shared/ui";
import { definitionOf, RecordLink, RecordRemark, recordTitle } from "./kinds";
import { type RunEnd, runPath, runText } from "./runs";
import styles from "./trail.module.css";

interface ChangeEntryProps {
  change: AuditedChange;
  kinds: readonly RecordDefinition[];
  /** Filters by a person. */
  onPerson: (sub: string) => void;
}

/** A change in the trail: a line that expands. */
export const ChangeEntry = memo(({ change: given, kinds, onPerson }: ChangeEntryProps) => {
  const [isOpen, setOpen] = useState(false);
  const detailsId = useId();
  const { change, labels } = withLabels(given, kinds);
  return (
    <li className={styles.entry}>
      <WhenAndWho change={change} onPerson={onPerson} />
      <div className={styles.what}>
        <span className={styles.kind}>
          <ChangeBadge change={change} />
        </span>
        <span className={styles.record} title={change.id}>
          <RecordLink change={change} kinds={kinds} />{" "}
          <span className={styles.remark}>
            <RecordRemark change={change} />
          </span>
        </span>
      </div>
      <div className={styles.line}>
        {!isOpen && (
          <>
            <ChangedFieldsLine change={change} labels={labels} /> <Reason change={change} />
          </>
        )}
      </div>
      <Button
        className={styles.toggle ?? ""}
        variant="minimal"
        size="small"
        icon={isOpen ? <ChevronUp /> : <ChevronDown />}
        aria-label={`Details of ${recordTitle(change)}, version ${change.version}`}
        aria-expanded={isOpen}
        aria-controls={detailsId}
        onClick={() => setOpen(!isOpen)}
      />
      <div id={detailsId} className={styles.details} hidden={!isOpen}>
        {isOpen && <Details change={change} labels={labels} />}
      </div>
    </li>
  );
});
ChangeEntry.displayName = "ChangeEntry";

const NO_LABELS: FieldLabels = new Map();

/** A change with the screens' labels. */
function withLabels(change: AuditedChange, kinds: readonly RecordDefinition[]): ChangedFieldsProps {
  const labels = definitionOf(kinds, change.entity)?.labels ?? NO_LABELS;
  return { change: { ...change, changes: shownChanges(labels, change) }, labels };
}

/** All fields of a change, like a sentence. */
export function ChangedFields({ change: given, kinds }: Omit<ChangeEntryProps, "onPerson">) {
  const { change, labels } = withLabels(given, kinds);
  const isFirst = kindOf(change.type) === "registered";
  return <FieldChanges changes={change.changes} labels={labels} isFirst={isFirst} isInline />;
}

/** Changes with the screens' labels; of a registration only those with a value. */
function shownChanges(labels: FieldLabels, change: AuditedChange) {
  const named = namedChanges(labels, change);
  return kindOf(change.type) === "registered" ? named.filter(({ to }) => to !== null && to !== "") : named;
}

function Reason({ change }: Pick<ChangeEntryProps, "change">) {
  const reason = reasonText(change);
  if (!reason) return null;
  return (
    <span className={styles.reason}>
      {change.reason && "Reason: "}
      {reason}
    </span>
  );
}

/** All fields of a change, its reason, version and request. */
function Details({ change, labels }: ChangedFieldsProps) {
  const isFirst = kindOf(change.type) === "registered";
  return (
    <>
      {change.changes.length > 0 && (
        <FieldChanges changes={change.changes} labels={labels} isFirst={isFirst} />
      )}
      <Reason change={change} />
      <p className={styles.request}>
        Version {change.version}
        {change.request_id && (
          <>
            {" · Request "}
            <RequestId id={change.request_id} />
          </>
        )}
        {isMasked(change, "request_id") && (
          <>
            {" · "}
            <Hidden text="Request hidden" />
          </>
        )}
      </p>
    </>
  );
}

/** The maximum number of fields, and of characters of a value, on a line. */
const ON_A_LINE = 4;
const LONG_TEXT = 80;

interface ChangedFieldsProps {
  /** With the screens' labels. */
  change: AuditedChange;
  labels: FieldLabels;
}

/** The changed fields that fit a line. */
function ChangedFieldsLine({ change, labels }: ChangedFieldsProps) {
  const { type, changes, version } = change;
  if (kindOf(type) === "registered") {
    return <>With {counted(changes.length, "value")}</>;
  }
  if (changes.length === 0) return <span className={styles.version}>version {version}</span>;
  const shown = changes
    .slice(0, ON_A_LINE)
    .map(({ field, from, to }) => ({ field, from: shortened(from), to: shortened(to) }));
  return <FieldChanges changes={shown} labels={labels} isInline />;
}

function shortened(value: unknown): unknown {
  const text = typeof value === "object" && value !== null ? JSON.stringify(value) : value;
  return typeof text === "string" && text.length > LONG_TEXT ? `${text.slice(0, LONG_TEXT)}…` : text;
}

/** An import or a bulk change: a line with a link to its changes. */
export function RunEntry({ change, onPerson }: WhenAndWhoProps & { change: RunEnd }) {
  const { addressOf } = useAsOf();
  return (
    <li className={styles.entry}>
      <WhenAndWho change={change} onPerson={onPerson} />
      <div className={styles.what}>
        <span className={styles.kind}>
          <StatusBadge label="In bulk" />
        </span>
        <span className={styles.record}>
          <Link to={addressOf(runPath(change))}>{runText(change)}</Link>
        </span>
      </div>
      <div className={styles.line}>{reasonText(change)}</div>
    </li>
  );
}

interface WhenAndWhoProps {
  change: AuditedChange;
  /** Filters by a person. */
  onPerson: (sub: string) => void;
}

function WhenAndWho({ change, onPerson }: WhenAndWhoProps) {
  return (
    <>
      <div>
        <MomentText moment={change.moment} isExact />
      </div>
      <div className={styles.who}>
        <Person actor={change.actor} onPerson={onPerson} />
        <NoName of={change} />
      </div>
    </>
  );
}

function Person({ actor, onPerson }: Pick<WhenAndWhoProps, "onPerson"> & { actor: Actor | null }) {
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
