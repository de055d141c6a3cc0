import { Button } from "@blueprintjs/core";
import { Application, ChevronDown, ChevronUp } from "@blueprintjs/icons";
import { memo, useId, useState } from "react";
import { Link } from "react-router";
import { useAsOf } from "@/shared/asOf/useAsOf";
import { counted } from "@/shared/format/counted";
import { MomentText } from "@/shared/format/MomentText";
import {
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
import { OtherRecordText } from "@/shared/history/otherRecord";
import type { RecordDefinition } from "@/shared/records";
import { Hidden, StatusBadge } from "@/shared/ui";
import { definitionOf, RecordLink, RecordRemark, recordPath, recordTitle } from "./kinds";
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
          <span className="fl-muted fl-small">
            <RecordRemark change={change} />
          </span>
          <OtherRecordText change={change} pathOf={(id) => recordPath(kinds, { ...change, id })} />
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

/** A change with the screens' labels; of a registration only the fields with a value. */
function withLabels(change: AuditedChange, kinds: readonly RecordDefinition[]): ChangedFieldsProps {
  const labels = definitionOf(kinds, change.entity)?.labels ?? new Map();
  const named = namedChanges(labels, change);
  const changes =
    kindOf(change.type) === "registered" ? named.filter(({ to }) => to !== null && to !== "") : named;
  return { change: { ...change, changes }, labels };
}

/** All fields of a change, like a sentence. */
export function ChangedFields({ change: given, kinds }: Omit<ChangeEntryProps, "onPerson">) {
  const { change, labels } = withLabels(given, kinds);
  const isFirst = kindOf(change.type) === "registered";
  return <FieldChanges changes={change.changes} labels={labels} isFirst={isFirst} isInline />;
}

function Reason({ change }: Pick<ChangeEntryProps, "change">) {
  const reason = reasonText(change);
  if (!reason) return null;
  return (
    <span className="fl-muted fl-small">
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
      <p className="fl-remark">
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

interface ChangedFieldsProps {
  /** With the screens' labels. */
  change: AuditedChange;
  labels: FieldLabels;
}

/** The changed fields that fit a line. */
function ChangedFieldsLine({ change, labels }: ChangedFieldsProps) {
  const { type, changes, version } = change;
  if (kindOf(type) === "registered") return <>With {counted(changes.length, "value")}</>;
  if (changes.length === 0) return <span className="fl-muted fl-small">version {version}</span>;
  const shown = changes
    .slice(0, 4)
    .map(({ field, from, to }) => ({ field, from: shortened(from), to: shortened(to) }));
  return <FieldChanges changes={shown} labels={labels} isInline />;
}

function shortened(value: unknown): unknown {
  const text = typeof value === "object" && value !== null ? JSON.stringify(value) : value;
  return typeof text === "string" && text.length > 80 ? `${text.slice(0, 80)}…` : text;
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

type WhenAndWhoProps = Pick<ChangeEntryProps, "change" | "onPerson">;

function WhenAndWho({ change, onPerson }: WhenAndWhoProps) {
  const { actor } = change;
  const name = actorName(actor);
  return (
    <>
      <div>
        <MomentText moment={change.moment} isExact />
      </div>
      <div className={styles.who}>
        {actor === null ? (
          <span className="fl-muted">{name}</span>
        ) : (
          <button
            type="button"
            className={styles.person}
            title={`Only changes by ${name}${name === actor.sub ? "" : ` (${actor.sub})`}`}
            onClick={() => onPerson(actor.sub)}
          >
            {actor.is_program && (
              <>
                <Application size={12} title="Program" />{" "}
              </>
            )}
            {name}
          </button>
        )}
        <NoName of={change} />
      </div>
    </>
  );
}
