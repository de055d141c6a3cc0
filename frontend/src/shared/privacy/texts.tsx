import { counted } from "@/shared/format/counted";
import { DateText } from "@/shared/format/DateText";
import { type Actor, ActorText } from "@/shared/history";
import { StatusBadge } from "@/shared/ui";
import { daysUntil, type PrivacyStatus } from "./status";

/** The author of a restriction or erasure; once the data is erased, so is the name. */
export function ByWhom({ actor, state }: { actor: Actor; state: PrivacyStatus["state"] }) {
  const isGone = state === "erasing" || state === "erased";
  const fields = ["actor.name"];
  return <ActorText of={{ actor, ...(isGone ? { erased: fields } : { masked: fields }) }} />;
}

interface DueTextProps {
  /** An answer is due by this day (UTC). */
  due: string;
  /** No answer is pending. */
  isSettled?: boolean;
}

/** A due day with the days left, or marked as overdue. */
export function DueText({ due, isSettled = false }: DueTextProps) {
  const left = daysUntil(due);
  return (
    <span className="fl-row">
      <DateText date={due} />
      {!isSettled && left >= 0 && (
        <span className="fl-muted">{left === 0 ? "today" : `in ${counted(left, "day")}`}</span>
      )}
      {!isSettled && left < 0 && <StatusBadge label={`${counted(-left, "day")} overdue`} tone="danger" />}
    </span>
  );
}
