import { useEffect } from "react";
import { useLocation } from "react-router";
import { useAnythingStale } from "@/shared/api/staleness";
import { capitalized } from "@/shared/format/capitalized";
import { grouped } from "@/shared/format/counted";
import { reportProgress, useImportProgress } from "@/shared/import/progress";
import { LinkButton, Notice, useIsOnline } from "@/shared/ui";
import styles from "./frame.module.css";

/** Above every other screen while records are being imported, and when that has ended, with the way to it. */
export function ImportNotice() {
  const { pathname } = useLocation();
  const all = useImportProgress(({ imports }) => imports);
  useEffect(() => {
    for (const { what, address, outcome } of all.values())
      if (outcome !== undefined && address === pathname) reportProgress(what, undefined);
  }, [all, pathname]);
  const elsewhere = [...all.values()].filter(({ address }) => address !== pathname);
  return elsewhere.map(({ what, address, done, total, outcome }) => (
    <Notice key={what} role="status" action={<LinkButton to={address} text="Show the import" />}>
      <strong>
        {outcome === undefined
          ? `${capitalized(what)} are being imported`
          : `The import of ${what} has ended`}
      </strong>
      {/* How far it is: not said anew with each part. */}
      {outcome === undefined ? (
        <span aria-hidden>
          : {grouped.format(done)} of {grouped.format(total)} rows
        </span>
      ) : (
        `: ${outcome}`
      )}
    </Notice>
  ));
}

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

/** Above a screen while the server answers without its latest changes; it goes as soon as it has caught up. */
export function StaleNotice() {
  if (!useAnythingStale()) return null;
  return (
    <Notice role="status">
      <strong>This may be out of date.</strong> The server has not caught up with the latest changes yet. What
      is missing appears by itself.
    </Notice>
  );
}
