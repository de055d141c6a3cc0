import { create } from "zustand";
import { useAuthStore } from "@/shared/auth/authStore";

interface SessionApprovals {
  /** The proposals that each user has approved since the page was loaded. */
  byUser: Readonly<Record<string, readonly string[]>>;
}

const useSessionApprovals = create<SessionApprovals>(() => ({ byUser: {} }));

const NONE: readonly string[] = [];
const NOBODY = "";

/** The ids of the proposals that this user has approved in this session; no server knows of it (section 4). */
export function useApprovedInSession(): readonly string[] {
  const user = useAuthStore((state) => state.user?.id ?? NOBODY);
  return useSessionApprovals(({ byUser }) => byUser[user] ?? NONE);
}

/** Changes a proposal to approved, for this user and session only. */
export function approveInSession(proposalId: string): void {
  const user = useAuthStore.getState().user?.id ?? NOBODY;
  useSessionApprovals.setState(({ byUser }) => ({
    byUser: { ...byUser, [user]: [...new Set([...(byUser[user] ?? NONE), proposalId])] },
  }));
}

/** Forgets all approvals, as loading the page anew does. */
export function forgetSessionApprovals(): void {
  useSessionApprovals.setState({ byUser: {} });
}
