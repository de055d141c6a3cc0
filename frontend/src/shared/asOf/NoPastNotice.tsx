import { Notice } from "@/shared/ui/Notice";
import { useAsOf } from "./useAsOf";

/** On a screen whose contents no log keeps: at a past moment it says that it shows the present. */
export function NoPastNotice({ what }: { what: string }) {
  const { asOf } = useAsOf();
  if (asOf === null) return null;
  return <Notice role="status">{what} have no history: they are shown as they are now.</Notice>;
}
