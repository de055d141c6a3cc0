import { useMemo } from "react";
import type { Approval, PickLists, Proposal } from "./entities";
import { sampleApprovals, sampleProposals } from "./sampleBookings";
import { samplePickLists } from "./samplePickLists";
import { useApprovedInSession } from "./sessionApprovals";

/* Sample data in the shape of what comes from a server: undefined would be loading. */

/** All proposals, with the approvals of this session. */
export function useProposals(): { proposals: readonly Proposal[] | undefined; error: Error | undefined } {
  const approved = useApprovedInSession();
  const proposals = useMemo(() => withApproved(sampleProposals, approved), [approved]);
  return { proposals, error: undefined };
}

/** One proposal; undefined where there is none of this id. */
export function useProposal(id: string): Proposal | undefined {
  return useProposals().proposals?.find((proposal) => proposal.id === id);
}

/** All approvals. */
export function useApprovals(): { approvals: readonly Approval[] | undefined; error: Error | undefined } {
  return { approvals: sampleApprovals, error: undefined };
}

/** One approval; undefined where there is none of this id. */
export function useApproval(id: string): Approval | undefined {
  return useApprovals().approvals?.find((approval) => approval.id === id);
}

/** What the forms choose from. */
export function usePickLists(): PickLists {
  return samplePickLists;
}

/** Pending proposals become approved where the session says so; others have been decided upon already. */
export function withApproved(
  proposals: readonly Proposal[],
  approved: readonly string[],
): readonly Proposal[] {
  if (approved.length === 0) return proposals;
  return proposals.map((proposal) =>
    proposal.status === "pending" && approved.includes(proposal.id)
      ? { ...proposal, status: "approved" }
      : proposal,
  );
}
