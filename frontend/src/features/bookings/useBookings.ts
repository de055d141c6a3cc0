import { useMemo } from "react";
import { create } from "zustand";
import { createJSONStorage, persist } from "zustand/middleware";
import { toLocal } from "@/shared/asOf/asOf";
import { useAuthStore } from "@/shared/auth/authStore";
import type { Query } from "@/shared/ui";
import type { BookingDraft, TripDraft } from "./drafts";
import type { Approval, PickLists, Proposal } from "./entities";
import { sampleApprovals, sampleId, sampleProposals } from "./sampleBookings";
import { samplePickLists } from "./samplePickLists";

/** All proposals, with those created and approved in this session (section 4). */
export function useProposals(): Query<readonly Proposal[]> {
  const user = useAuthStore((state) => state.user?.id ?? "");
  const { created, approved } = useSessionBookings((byUser) => byUser[user] ?? NONE);
  const data = useMemo(() => withApproved([...sampleProposals, ...created], approved), [created, approved]);
  return { data, error: undefined };
}

export function useProposal(id: string): Proposal | undefined {
  return useProposals().data?.find((proposal) => proposal.id === id);
}

export function useApprovals(): Query<readonly Approval[]> {
  const user = useAuthStore((state) => state.user?.id ?? "");
  const { approved, rejected } = useSessionBookings((byUser) => byUser[user] ?? NONE);
  const data = useMemo(
    () =>
      sampleApprovals.map((one): Approval => {
        if (approved.includes(one.id)) return { ...one, approvalStatus: "approved" };
        return rejected.includes(one.id) ? { ...one, approvalStatus: "rejected" } : one;
      }),
    [approved, rejected],
  );
  return { data, error: undefined };
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

interface SessionBookings {
  created: readonly Proposal[];
  /** Ids of proposals and approvals. */
  approved: readonly string[];
  rejected: readonly string[];
}

const NONE: SessionBookings = { created: [], approved: [], rejected: [] };

/** The user's bookings until the browser's tab is closed: no server is called (section 4). */
const useSessionBookings = create(
  persist((): Readonly<Record<string, SessionBookings>> => ({}), {
    name: "session-bookings",
    storage: createJSONStorage(() => sessionStorage),
  }),
);

function changeSession(change: (before: SessionBookings) => Partial<SessionBookings>): void {
  const user = useAuthStore.getState().user?.id ?? "";
  const before = useSessionBookings.getState()[user] ?? NONE;
  useSessionBookings.setState({ [user]: { ...before, ...change(before) } }, true);
}

/** Approve or reject a proposal or an approval for this user and session only. */
export function decideInSession(id: string, decision: "approved" | "rejected"): void {
  changeSession((before) => ({ [decision]: [...new Set([...before[decision], id])] }));
}

/** Add a complete draft as a pending proposal for this user and session only. */
export function createInSession({ route: routeId, client, trips }: BookingDraft<TripDraft>): void {
  const route = samplePickLists.routes.find(({ id }) => id === routeId);
  if (route === undefined) return;
  changeSession(({ created }) => {
    const id = sampleId("BP", sampleProposals.length + created.length);
    const proposal: Proposal = {
      id,
      clientOrganization: client,
      route,
      proposalTrips: trips.length,
      status: "pending",
      createdDate: toLocal(new Date()).date,
      trips: trips.map(({ key: _, tonnage, ...trip }, index) => ({
        ...trip,
        id: `${id}-T${index + 1}`,
        tonnage: Number(tonnage),
      })),
    };
    return { created: [...created, proposal] };
  });
}

/** Reset the bookings of the session, in tests. */
export function forgetSessionBookings(): void {
  useSessionBookings.setState({}, true);
}
