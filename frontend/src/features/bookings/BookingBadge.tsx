import { StatusBadge, type StatusTone } from "@/shared/ui";
import styles from "./bookings.module.css";
import type { ApprovalStatus, Priority, ProposalStatus } from "./entities";
import { statusText } from "./statuses";

const TONES: Readonly<Record<ProposalStatus | ApprovalStatus | Priority, StatusTone>> = {
  pending: "warning",
  "pending-review": "warning",
  approved: "success",
  "in-progress": "info",
  completed: "neutral",
  rejected: "danger",
  high: "danger",
  medium: "warning",
  low: "neutral",
};

/** A status or a priority. */
export function BookingBadge({ of }: { of: keyof typeof TONES }) {
  return (
    <span className={styles.status}>
      <StatusBadge label={statusText(of)} tone={TONES[of]} />
    </span>
  );
}
