import { generatePath } from "react-router";
import { useListAddress } from "@/shared/records/paths";

/** Where the booking screens are (product.md: screens). */
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

/** The form for an approval, with its proposal chosen beforehand. */
export function createApprovalPath(proposalId: string): string {
  return `${bookingPaths.createApproval}?${new URLSearchParams({ proposalId })}`;
}

/** The way back to the lists as they were left for this screen: with tab, search, filters and page. */
export function useBackToBookings() {
  return { to: useListAddress(bookingPaths), label: "Back to Bookings" };
}
