import { Notice, useIsOnline } from "@/shared/ui";
import styles from "./OfflineNotice.module.css";

/** Above every screen while there is no connection; it goes by itself. */
export function OfflineNotice() {
  if (useIsOnline()) return null;
  return (
    <div className={styles.offline}>
      <Notice role="status" intent="warning">
        <strong>You are offline.</strong> What is on the screen stays, and may be out of date. Saving has to
        wait until the connection is back.
      </Notice>
    </div>
  );
}
