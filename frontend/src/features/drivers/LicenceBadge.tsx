import { StatusBadge, type StatusTone } from "@/shared/ui";
import { type LicenceState, licenceState } from "./licences";

const LOOKS: Record<LicenceState, { label: string; tone: StatusTone }> = {
  valid: { label: "Valid", tone: "success" },
  expiring: { label: "Expiring soon", tone: "warning" },
  expired: { label: "Expired", tone: "danger" },
  unknown: { label: "Unknown", tone: "neutral" },
};

/** Whether a licence still holds today, as a word and a colour. */
export function LicenceBadge({ validUpTo }: { validUpTo: string }) {
  return <StatusBadge {...LOOKS[licenceState(validUpTo, new Date())]} />;
}
