import { useEffect } from "react";
import { useLocation } from "react-router";
import { useAnythingStale } from "@/shared/api/useApiQuery";
import { grouped } from "@/shared/format/counted";
import { reportProgress, useImportProgress } from "@/shared/import/progress";
import { LinkButton, Notice, useIsOnline } from "@/shared/ui";

/** Progress and result of an import, above all screens except the import itself. */
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
      <strong>{outcome === undefined ? `Importing ${what}` : `Import of ${what} finished`}</strong>
      {/* Hidden from screen readers, which would announce every change. */}
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

export function OfflineNotice() {
  if (useIsOnline()) return null;
  return (
    <div className="fl-sticky fl-rounded fl-surface">
      <Notice role="status" intent="warning">
        <strong>You're offline.</strong> You can keep reading, but the data may be out of date. Reconnect to
        save.
      </Notice>
    </div>
  );
}

/** Shown while responses lack the latest changes (`Fleetlog-Consistency`). */
export function StaleNotice() {
  if (!useAnythingStale()) return null;
  return (
    <Notice role="status">
      <strong>This may be out of date.</strong> The server is still processing the latest changes, which
      appear automatically.
    </Notice>
  );
}
