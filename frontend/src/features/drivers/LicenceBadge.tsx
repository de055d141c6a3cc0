import { type Expiry, expiryOf } from "@/shared/expiry/expiry";
import { StatusBadge, type StatusTone } from "@/shared/ui";

const LOOKS: Record<Expiry, { label: string; tone: StatusTone }> = {
  valid: { label: "License valid", tone: "success" },
  expiring: { label: "License expiring soon", tone: "warning" },
  expired: { label: "License expired", tone: "danger" },
  unknown: { label: "License end unknown", tone: "neutral" },
};

/** Whether a licence still holds today, as words and a colour. */
export function LicenceBadge({ validUpTo }: { validUpTo: string }) {
  return <StatusBadge {...LOOKS[expiryOf(validUpTo, new Date())]} />;
}
