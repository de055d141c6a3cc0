import type { ReactNode } from "react";
import { Erased, Hidden } from "@/shared/ui";
import type { Masked } from "./changes";

/** What an entry says of itself beside its changes: why it was made, and by which request. */
interface Entry extends Masked {
  reason: string | null;
  request_id: string | null;
}

/** Why a change was made; nothing where nobody said why. */
export function reasonText(entry: Entry): ReactNode {
  if (entry.erased?.includes("reason")) return <Erased text="Reason erased" />;
  return isMasked(entry, "reason") ? <Hidden text="Reason hidden" /> : entry.reason;
}

/** Whether a member of an answer is kept back from this reader. */
export function isMasked({ masked = [] }: Masked, name: string): boolean {
  return masked.includes(name);
}
