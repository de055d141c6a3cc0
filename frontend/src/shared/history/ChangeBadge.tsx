import { StatusBadge, type StatusTone } from "@/shared/ui";
import { formatDate } from "../format/DateText";
import { type Change, type ChangeKind, changeTitle, kindOf } from "./changes";

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
