import { Button } from "@blueprintjs/core";
import { counted } from "@/shared/format/counted";
import type { AuditedChange } from "@/shared/history";
import { focusResults } from "./focusResults";
import { isRun } from "./runs";
import styles from "./trail.module.css";
import type { NewestFirst } from "./useNewestFirst";

/** How much is shown, and what has come meanwhile. */
export function TrailStatus({
  trail: { stretch, isCurrent, arrived, showArrived, error },
}: {
  trail: NewestFirst<AuditedChange>;
}) {
  if (stretch === undefined) return null;
  const { items } = stretch;
  const changes = items.some(isRun) ? counted(items.length, "line") : counted(items.length, "change");
  return (
    <div className={styles.status}>
      <p className="fl-remark" role="status">
        {isCurrent ? (stretch.next === null ? changes : `The newest ${changes}`) : "Loading changes..."}
        {isCurrent && error !== undefined && " · could not be refreshed, trying again"}
      </p>
      {arrived.items.length > 0 && (
        <Button
          size="small"
          intent="primary"
          text={`Show ${arrived.items.length}${arrived.hasGap ? " or more" : ""} new`}
          onClick={() => {
            focusResults();
            showArrived();
          }}
        />
      )}
    </div>
  );
}
