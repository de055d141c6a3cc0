import { Button } from "@blueprintjs/core";
import type { AuditedChange } from "@/shared/history";
import { focusResults } from "./focusResults";
import styles from "./trail.module.css";
import type { NewestFirst } from "./useNewestFirst";

/** How much is shown, and what has come meanwhile. */
export function TrailStatus({
  trail: { stretch, isCurrent, arrived, showArrived, error },
}: {
  trail: NewestFirst<AuditedChange>;
}) {
  if (stretch === undefined) return null;
  const count = stretch.items.length;
  const changes = `${count} ${count === 1 ? "change" : "changes"}`;
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
