import type { StatusTone } from "@/shared/ui";
import type { Approval, ApprovalStatus, Priority, Proposal, ProposalStatus } from "./entities";

export const PROPOSAL_TONES: Readonly<Record<ProposalStatus, StatusTone>> = {
  pending: "warning",
  approved: "success",
  "in-progress": "info",
  completed: "neutral",
  rejected: "danger",
};

export const APPROVAL_TONES: Readonly<Record<ApprovalStatus, StatusTone>> = {
  "pending-review": "warning",
  approved: "success",
  rejected: "danger",
};

export const PRIORITY_TONES: Readonly<Record<Priority, StatusTone>> = {
  high: "danger",
  medium: "warning",
  low: "neutral",
};

/** A status as people read it: hyphens are spaces. */
export function statusText(status: string): string {
  return status.replaceAll("-", " ");
}

/** `1 trip`, `2 trips`. */
export function tripsText(count: number): string {
  return count === 1 ? "1 trip" : `${count} trips`;
}

/** The figures above the proposals. */
export function countProposals(proposals: readonly Proposal[]) {
  const count = (status: ProposalStatus) => proposals.filter((proposal) => proposal.status === status).length;
  return {
    total: proposals.length,
    approved: count("approved"),
    pending: count("pending"),
    inProgress: count("in-progress"),
  };
}

/** The figures above the approvals. */
export function countApprovals(approvals: readonly Approval[]) {
  const count = (status: ApprovalStatus) =>
    approvals.filter((approval) => approval.approvalStatus === status).length;
  return {
    total: approvals.length,
    pendingReview: count("pending-review"),
    approved: count("approved"),
    rejected: count("rejected"),
  };
}
