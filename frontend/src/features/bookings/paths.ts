import { generatePath } from "react-router";
import { useListAddress } from "@/shared/records/paths";

/** Where the booking screens are (specification, route table). */
export const bookingPaths = {
  list: "/bookings",
  createProposal: "/bookings/create",
  proposal: "/bookings/:id",
  createApproval: "/bookings/approvals/create",
  approval: "/bookings/approvals/:id",
} as const;

export const BACK_TO_BOOKINGS = "Back to Bookings";

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

/** The lists' address as it was left for this screen: with its tab, search, filters and page. */
export function useBookingsAddress(): string {
  return useListAddress(bookingPaths);
}
