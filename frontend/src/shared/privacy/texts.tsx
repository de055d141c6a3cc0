import { counted } from "@/shared/format/counted";
import { DateText } from "@/shared/format/DateText";
import { ActorText } from "@/shared/history";
import { StatusBadge } from "@/shared/ui";
import styles from "./due.module.css";
import { daysUntil, type PrivacyStanding } from "./standing";

interface ByWhomProps {
  actor: NonNullable<PrivacyStanding["asked_by"]>;
  state: PrivacyStanding["state"];
}

/** Who has restricted or erased: their names go with what is erased. */
export function ByWhom({ actor, state }: ByWhomProps) {
  const isGone = state === "erasing" || state === "erased";
  const fields = ["actor.name"];
  return <ActorText of={{ actor, ...(isGone ? { erased: fields } : { masked: fields }) }} />;
}

interface DueTextProps {
  /** The day by which something is to be answered. */
  due: string;
  /** Nothing is to be done by then any more. */
  isSettled?: boolean;
}

/** A day by which somebody is to be answered, and how long that is; marked where it is past. */
export function DueText({ due, isSettled = false }: DueTextProps) {
  const left = daysUntil(due);
  return (
    <span className={styles.due}>
      <DateText date={due} />
      {!isSettled && left >= 0 && (
        <span className="fl-muted">{left === 0 ? "today" : `in ${counted(left, "day")}`}</span>
      )}
      {!isSettled && left < 0 && <StatusBadge label={`${counted(-left, "day")} overdue`} tone="danger" />}
    </span>
  );
}
