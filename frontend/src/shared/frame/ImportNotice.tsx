import { useLocation } from "react-router";
import { capitalized } from "@/shared/format/capitalized";
import { grouped } from "@/shared/format/counted";
import { useGoing } from "@/shared/import/going";
import { LinkButton, Notice } from "@/shared/ui";

/** Above every other screen while records are being imported, with the way back to that. */
export function ImportNotice() {
  const { pathname } = useLocation();
  const going = [...useGoing((state) => state.going).values()].filter(({ address }) => address !== pathname);
  return going.map(({ what, address, done, total }) => (
    <Notice key={what} role="status" action={<LinkButton to={address} text="Show the import" />}>
      <strong>{capitalized(what)} are being imported</strong>
      {/* Not said anew with each part. */}
      <span aria-hidden>
        : {grouped.format(done)} of {grouped.format(total)} rows
      </span>
    </Notice>
  ));
}
