import { counted } from "@/shared/format/counted";
import { DateText } from "@/shared/format/DateText";
import { StatusBadge } from "@/shared/ui";
import styles from "./due.module.css";
import { daysUntil } from "./standing";

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
