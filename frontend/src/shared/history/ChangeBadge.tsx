import { StatusBadge, type StatusTone } from "@/shared/ui";
import { type ChangeKind, changeTitle, kindOf } from "./changes";

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
export function ChangeBadge({ type }: { type: string }) {
  const kind = kindOf(type);
  return <StatusBadge label={changeTitle(type)} tone={kind ? TONES[kind] : "neutral"} />;
}
