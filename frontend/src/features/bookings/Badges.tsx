import { StatusBadge } from "@/shared/ui";
import styles from "./bookings.module.css";
import type { ApprovalStatus, Priority, ProposalStatus } from "./entities";
import { APPROVAL_TONES, PRIORITY_TONES, PROPOSAL_TONES, statusText } from "./statuses";

export function ProposalStatusBadge({ status }: { status: ProposalStatus }) {
  return (
    <span className={styles.status}>
      <StatusBadge label={statusText(status)} tone={PROPOSAL_TONES[status]} />
    </span>
  );
}

export function ApprovalStatusBadge({ status }: { status: ApprovalStatus }) {
  return (
    <span className={styles.status}>
      <StatusBadge label={statusText(status)} tone={APPROVAL_TONES[status]} />
    </span>
  );
}

export function PriorityBadge({ priority }: { priority: Priority }) {
  return (
    <span className={styles.status}>
      <StatusBadge label={priority} tone={PRIORITY_TONES[priority]} />
    </span>
  );
}
