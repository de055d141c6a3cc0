import { useEffect } from "react";
import { useLocation } from "react-router";
import { capitalized } from "@/shared/format/capitalized";
import { grouped } from "@/shared/format/counted";
import { tellGoing, useGoing } from "@/shared/import/going";
import { LinkButton, Notice } from "@/shared/ui";

/** Above every other screen while records are being imported, and when that has ended, with the way to it. */
export function ImportNotice() {
  const { pathname } = useLocation();
  const all = useGoing((state) => state.going);
  useEffect(() => {
    for (const { what, address, outcome } of all.values())
      if (outcome !== undefined && address === pathname) tellGoing(what, undefined);
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
