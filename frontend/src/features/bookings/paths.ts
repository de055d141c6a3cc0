import { generatePath } from "react-router";
import { useListAddress } from "@/shared/records/paths";

export const bookingPaths = {
  list: "/bookings",
  createProposal: "/bookings/create",
  proposal: "/bookings/:id",
  createApproval: "/bookings/approvals/create",
  approval: "/bookings/approvals/:id",
} as const;

export function proposalPath(id: string): string {
  return generatePath(bookingPaths.proposal, { id });
}

export function approvalPath(id: string): string {
  return generatePath(bookingPaths.approval, { id });
}

/** The form of a new approval with its proposal preselected. */
export function createApprovalPath(proposalId: string): string {
  return `${bookingPaths.createApproval}?${new URLSearchParams({ proposalId })}`;
}

/** A link back to the lists with the tab, search, filters and page that were open. */
export function useBackToBookings() {
  return { to: useListAddress(bookingPaths), label: "Back to Bookings" };
}
