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
  shownValue,
  UNKNOWN_VALUE,
} from "./changes";
import styles from "./history.module.css";

/** The members of an entry other than its changes. */
interface Entry extends Masked {
  reason: string | null;
  request_id: string | null;
}

/** Return an entry's reason, or why it cannot be shown. */
export function reasonText(entry: Entry): ReactNode {
  if (entry.erased?.includes("reason")) return <Erased text="Reason erased" />;
  return isMasked(entry, "reason") ? <Hidden text="Reason hidden" /> : entry.reason;
}

/** Return whether a member of an answer is masked for this reader. */
export function isMasked({ masked = [] }: Masked, name: string): boolean {
  return masked.includes(name);
}

interface ActorTextProps {
  of: Masked & { actor: Actor | null };
}

/** The name of an entry's author; without a name, the subject and why. */
export function ActorText({ of }: ActorTextProps) {
  return (
    <>
      {actorName(of.actor)}
      {of.actor?.is_program && (
        <>
          {" "}
          <StatusBadge label="Program" />
        </>
      )}
      <NoName of={of} />
    </>
  );
}

/** Why an author has no name; nothing where the name is masked. */
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
  merged: "info",
  merged_into: "danger",
  restricted: "warning",
  hold_set: "warning",
  restriction_lifted: "info",
  erased: "danger",
  reminder_acknowledged: "neutral",
  possible_duplicate_dismissed: "neutral",
  delivery_given_up: "danger",
  delivery_resumed: "success",
};

type Reminder = Pick<Change, "document" | "until">;

/** The document of an acknowledged reminder: `licence, snoozed until 3 Mar 2027`. */
export function reminderText({ document, until }: Reminder): string {
  return `${document}${until ? `, snoozed until ${formatDate(until)}` : ""}`;
}

/** A badge for a change's kind. */
export function ChangeBadge({
  change,
}: {
  change: Pick<Change, "type" | "hold_until" | "undoes" | "dismissed"> & Reminder;
}) {
  const kind = kindOf(change.type);
  const hold = change.hold_until ? ` until ${formatDate(change.hold_until)}` : " ended";
  const undoing = change.undoes ? `, undoes v${change.undoes}` : "";
  const reminder = kind === "reminder_acknowledged" ? `: ${change.document}` : "";
  // Short, because a badge does not wrap.
  const merged = kind === "merged_into" ? "Merged" : undefined; // the other record follows: into …
  const usual = change.dismissed === false ? "Possible duplicate" : (merged ?? changeTitle(change.type));
  const title = change.until ? `Snoozed until ${formatDate(change.until)}` : usual;
  const label = `${title}${kind === "hold_set" ? hold : ""}${reminder}${undoing}`;
  return <StatusBadge label={label} tone={kind ? TONES[kind] : "neutral"} />;
}

interface FieldChangesProps {
  changes: readonly FieldChange[];
  labels: FieldLabels;
  /** The change registered the record: only the new values are shown. */
  isFirst?: boolean;
  /** Inline, like a sentence, instead of a line each. */
  isInline?: boolean;
}

/** The fields of a change, old → new. */
export function FieldChanges({ changes, labels, isFirst = false, isInline = false }: FieldChangesProps) {
  return (
    <dl className={isInline ? styles.inline : "fl-grid fl-gap-4"}>
      {changes.map(({ field, from, to }) => (
        <div key={field} className={isInline ? undefined : styles.change}>
          <dt>{labelOf(labels, field)}</dt>
          <dd>
            {!isFirst && from !== UNKNOWN_VALUE && to !== HIDDEN_VALUE && to !== ERASED_VALUE && (
              <>
                <del className={styles.from}>
                  <ValueText value={shownValue(labels, field, from)} />
                </del>
                <ArrowRight size={12} className={styles.arrow} aria-label="became" />
              </>
            )}
            <ins className={styles.to}>
              <ValueText value={shownValue(labels, field, to)} />
            </ins>
          </dd>
        </div>
      ))}
    </dl>
  );
}

/** A value from the event log: a dash for none, JSON for an object. */
export function ValueText({ value }: { value: unknown }) {
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

/** A request id, truncated to the room available; a click copies all of it. */
export function RequestId({ id }: { id: string }) {
  return (
    <button
      type="button"
      className={styles.requestId}
      title={`Request ${id}`}
      aria-label={`Copy request id ${id}`}
      onClick={() => void copyText(id, "Request id copied")}
    >
      <span className="fl-ellipsis">{id}</span>
      <Duplicate size={12} aria-hidden />
    </button>
  );
}
