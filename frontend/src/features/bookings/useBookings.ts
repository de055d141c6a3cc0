import { useMemo } from "react";
import { create } from "zustand";
import { useAuthStore } from "@/shared/auth/authStore";
import type { Query } from "@/shared/ui";
import type { Approval, PickLists, Proposal } from "./entities";
import { sampleApprovals, sampleProposals } from "./sampleBookings";
import { samplePickLists } from "./samplePickLists";

/** All proposals, with those approved in this session (section 4). */
export function useProposals(): Query<readonly Proposal[]> {
  const user = useAuthStore((state) => state.user?.id ?? "");
  const approved = useSessionApprovals((byUser) => byUser[user] ?? NONE);
  const data = useMemo(() => withApproved(sampleProposals, approved), [approved]);
  return { data, error: undefined };
}

export function useProposal(id: string): Proposal | undefined {
  return useProposals().data?.find((proposal) => proposal.id === id);
}

export function useApprovals(): Query<readonly Approval[]> {
  return { data: sampleApprovals, error: undefined };
}

export function useApproval(id: string): Approval | undefined {
  return useApprovals().data?.find((approval) => approval.id === id);
}

export function usePickLists(): PickLists {
  return samplePickLists;
}

function withApproved(proposals: readonly Proposal[], approved: readonly string[]): readonly Proposal[] {
  if (approved.length === 0) return proposals;
  return proposals.map((proposal) =>
    proposal.status === "pending" && approved.includes(proposal.id)
      ? { ...proposal, status: "approved" }
      : proposal,
  );
}

/** Ids of the proposals that each user has approved since the page was loaded. */
const useSessionApprovals = create<Readonly<Record<string, readonly string[]>>>(() => ({}));

const NONE: readonly string[] = [];

/** Approve a proposal for this user and session only: no server is called (section 4). */
export function approveInSession(proposalId: string): void {
  const user = useAuthStore.getState().user?.id ?? "";
  useSessionApprovals.setState((byUser) => ({
    [user]: [...new Set([...(byUser[user] ?? NONE), proposalId])],
  }));
}

/** Reset the approvals of the session, in tests. */
export function forgetSessionApprovals(): void {
  useSessionApprovals.setState({}, true);
}
