import { ArrowRight, Duplicate } from "@blueprintjs/icons";
import type { ReactNode } from "react";
import { copyText } from "@/shared/toast";
import { Erased, Hidden, StatusBadge, type StatusTone } from "@/shared/ui";
import { formatDate } from "../format/DateText";
import {
  type Actor,
  actorName,
  type Change,
  type ChangeKind,
  changeTitle,
  ERASED_VALUE,
  type FieldChange,
  type FieldLabels,
  HIDDEN_VALUE,
  kindOf,
  labelOf,
  type Masked,
  UNKNOWN_VALUE,
  type WireValue,
} from "./changes";
import styles from "./history.module.css";

/** What an entry says of itself beside its changes: why it was made, and by which request. */
interface Entry extends Masked {
  reason: string | null;
  request_id: string | null;
}

/** Why a change was made; nothing where nobody said why. */
export function reasonText(entry: Entry): ReactNode {
  if (entry.erased?.includes("reason")) return <Erased text="Reason erased" />;
  return isMasked(entry, "reason") ? <Hidden text="Reason hidden" /> : entry.reason;
}

/** Whether a member of an answer is kept back from this reader. */
export function isMasked({ masked = [] }: Masked, name: string): boolean {
  return masked.includes(name);
}

interface ActorTextProps {
  /** An entry that says who has done something. */
  of: Masked & { actor: Actor | null };
}

/** What to call whoever did something; by the subject where the name is gone, and why it is. */
export function ActorText({ of }: ActorTextProps) {
  return (
    <>
      {actorName(of.actor)}
      <NoName of={of} />
    </>
  );
}

/** Why there is no name, for whoever could see it. */
export function NoName({ of }: ActorTextProps) {
  if (of.actor === null || of.actor.name || isMasked(of, "actor.name")) return null;
  return (
    <>
      {" "}
      {of.erased?.includes("actor.name") ? (
        <Erased text="Name erased" />
      ) : (
        <span className="fl-muted">name not known</span>
      )}
    </>
  );
}

const TONES: Readonly<Record<ChangeKind, StatusTone>> = {
  registered: "success",
  details_changed: "info",
  removed: "danger",
  restricted: "warning",
  hold_set: "warning",
  restriction_lifted: "info",
  erased: "danger",
};

/** What a change did, as a badge. */
export function ChangeBadge({ change }: { change: Pick<Change, "type" | "hold_until" | "undoes"> }) {
  const kind = kindOf(change.type);
  const hold = change.hold_until ? ` until ${formatDate(change.hold_until)}` : " ended";
  const undoing = change.undoes ? `, undoes v${change.undoes}` : "";
  const label = `${changeTitle(change.type)}${kind === "hold_set" ? hold : ""}${undoing}`;
  return <StatusBadge label={label} tone={kind ? TONES[kind] : "neutral"} />;
}

interface FieldChangesProps {
  changes: readonly FieldChange[];
  labels: FieldLabels;
  /** There was nothing before: only what came is worth showing. */
  isFirst?: boolean;
  /** One after the other, as in a sentence, rather than a line each. */
  isFlowing?: boolean;
}

/** The fields that a change touched, each old → new. */
export function FieldChanges({ changes, labels, isFirst = false, isFlowing = false }: FieldChangesProps) {
  return (
    <dl className={isFlowing ? styles.flowing : styles.changes}>
      {changes.map(({ field, from, to }) => (
        <div key={field} className={isFlowing ? undefined : styles.change}>
          <dt>{labelOf(labels, field)}</dt>
          <dd>
            {!isFirst && from !== UNKNOWN_VALUE && to !== HIDDEN_VALUE && to !== ERASED_VALUE && (
              <>
                <del className={styles.from}>
                  <ValueText value={from} />
                </del>
                <ArrowRight size={12} className={styles.arrow} aria-label="became" />
              </>
            )}
            <ins className={styles.to}>
              <ValueText value={to} />
            </ins>
          </dd>
        </div>
      ))}
    </dl>
  );
}

/** A value as the log has it, for people: nothing is a dash, an object its JSON. */
export function ValueText({ value }: { value: WireValue }) {
  if (value === HIDDEN_VALUE) return <Hidden />;
  if (value === ERASED_VALUE) return <Erased />;
  if (value === null || value === undefined || value === "") {
    return (
      <span className={styles.nothing}>
        <span aria-hidden>–</span>
        <span className="fl-visually-hidden">nothing</span>
      </span>
    );
  }
  if (typeof value === "object") return <code className={styles.code}>{JSON.stringify(value)}</code>;
  return String(value);
}

/** The request that made a change, quietly: as long as there is room; all of it is copied. */
export function RequestId({ id }: { id: string }) {
  return (
    <button
      type="button"
      className={styles.requestId}
      title={`Request ${id}`}
      aria-label={`Copy request id ${id}`}
      onClick={() => void copyText(id, "Request id copied")}
    >
      <span>{id}</span>
      <Duplicate size={12} aria-hidden />
    </button>
  );
}
