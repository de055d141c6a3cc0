import { useMemo } from "react";
import type { Query } from "@/shared/ui";
import type { Approval, PickLists, Proposal } from "./entities";
import { sampleApprovals, sampleProposals } from "./sampleBookings";
import { samplePickLists } from "./samplePickLists";
import { useApprovedInSession } from "./sessionApprovals";

/** All proposals, with the approvals of this session. */
export function useProposals(): Query<readonly Proposal[]> {
  const approved = useApprovedInSession();
  const data = useMemo(() => withApproved(sampleProposals, approved), [approved]);
  return { data, error: undefined };
}

/** One proposal; undefined where there is none of this id. */
export function useProposal(id: string): Proposal | undefined {
  return useProposals().data?.find((proposal) => proposal.id === id);
}

/** All approvals. */
export function useApprovals(): Query<readonly Approval[]> {
  return { data: sampleApprovals, error: undefined };
}

/** One approval; undefined where there is none of this id. */
export function useApproval(id: string): Approval | undefined {
  return useApprovals().data?.find((approval) => approval.id === id);
}

/** What the forms choose from. */
export function usePickLists(): PickLists {
  return samplePickLists;
}

/** Pending proposals become approved where the session says so; others have been decided upon already. */
function withApproved(proposals: readonly Proposal[], approved: readonly string[]): readonly Proposal[] {
  if (approved.length === 0) return proposals;
  return proposals.map((proposal) =>
    proposal.status === "pending" && approved.includes(proposal.id)
      ? { ...proposal, status: "approved" }
      : proposal,
  );
}
