import { useMemo } from "react";
import { create } from "zustand";
import { createJSONStorage, persist } from "zustand/middleware";
import { toLocal } from "@/shared/asOf/asOf";
import { useAuthStore } from "@/shared/auth/authStore";
import type { BookingDraft, TripDraft } from "./drafts";
import type { Approval, Proposal } from "./entities";
import { sampleApprovals, sampleId, sampleProposals } from "./sampleBookings";
import { samplePickLists } from "./samplePickLists";

/** All proposals, with those created and decided in this session (section 4). */
export function useProposals(): readonly Proposal[] {
  const { created, decisions } = useUsersBookings();
  return useMemo(
    () =>
      [...sampleProposals, ...created].map((one) =>
        one.status === "pending" ? { ...one, status: decisions[one.id] ?? "pending" } : one,
      ),
    [created, decisions],
  );
}

export function useApprovals(): readonly Approval[] {
  const { decisions } = useUsersBookings();
  return useMemo(
    () => sampleApprovals.map((one) => ({ ...one, approvalStatus: decisions[one.id] ?? one.approvalStatus })),
    [decisions],
  );
}

interface SessionBookings {
  created: readonly Proposal[];
  /** By the id of a proposal or an approval. */
  decisions: Readonly<Record<string, "approved" | "rejected">>;
}

const NONE: SessionBookings = { created: [], decisions: {} };

/** The user's bookings until the browser's tab is closed: no server is called (section 4). */
export const useSessionBookings = create(
  persist((): Readonly<Record<string, SessionBookings>> => ({}), {
    name: "bookings",
    storage: createJSONStorage(() => sessionStorage),
  }),
);

function useUsersBookings(): SessionBookings {
  const user = useAuthStore((state) => state.user?.id ?? "");
  return useSessionBookings((byUser) => byUser[user] ?? NONE);
}

function changeSession(change: (before: SessionBookings) => Partial<SessionBookings>): void {
  const user = useAuthStore.getState().user?.id ?? "";
  const before = useSessionBookings.getState()[user] ?? NONE;
  useSessionBookings.setState({ [user]: { ...before, ...change(before) } }, true);
}

/** Approve or reject a proposal or an approval for this user and session only. */
export function decideInSession(id: string, decision: "approved" | "rejected"): void {
  changeSession(({ decisions }) => ({ decisions: { ...decisions, [id]: decision } }));
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
