import { Button } from "@blueprintjs/core";
import { Undo } from "@blueprintjs/icons";
import { Link } from "react-router";
import { TO_THE_PRESENT, useAsOf } from "@/shared/asOf";
import { usePermission } from "@/shared/auth/permissions";
import {
  type AuditedChange,
  type ChangeKind,
  changeTitle,
  kindOf,
  labelOf,
  namedChanges,
} from "@/shared/history";
import { useMayUndo } from "@/shared/records/undo/mayUndo";
import { askUndo } from "@/shared/records/undo/undoStore";
import { type AuditedKind, recordOf } from "../kinds";
import { RecordRemark, recordTitle } from "../RecordText";
import { inWords } from "../words";
import { ActivityItem, type Told } from "./ActivityItem";
import styles from "./activity.module.css";

interface ActivityEntryProps extends Told {
  kinds: readonly AuditedKind[];
  /** A later change has taken it back. */
  isUndone: boolean;
  onLeave: () => void;
}

/** One change as a sentence: `Asha Rao changed City, Email of driver Ravi Kumar EMP-001`. */
export function ActivityEntry({ kinds, isUndone, onLeave, ...told }: ActivityEntryProps) {
  const { change } = told;
  const { kind, path } = recordOf(kinds, change);
  const mayFollow = usePermission("fleet:read", "history:read");
  const title = recordTitle(kinds, change);
  const { asOf } = useAsOf();
  const mayUndo = useMayUndo()(change) && kind !== undefined && asOf === null;
  const record = title.charAt(0).toLowerCase() + title.slice(1);
  const done = doneTo(change, kind);
  const undo = () =>
    askUndo({
      ...{ entity: change.entity, id: change.id, version: change.version },
      ...{ what: `${done} ${record}`, isUndo: typeof change.undoes === "number" },
    });
  return (
    <ActivityItem
      {...told}
      action={
        isUndone ? (
          <span>Undone</span>
        ) : (
          mayUndo && (
            <Button
              className={styles.undo ?? ""}
              size="small"
              variant="minimal"
              icon={<Undo />}
              text="Undo"
              aria-label={`Undo: ${done} ${record}`}
              onClick={undo}
            />
          )
        )
      }
    >
      {done}{" "}
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
      {change.undoes && <span>, undoing version {change.undoes}</span>}
    </ActivityItem>
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
