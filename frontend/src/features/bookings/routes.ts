import { lazyScreen } from "@/shared/frame/lazyScreen";
import { bookingPaths } from "./paths";

/** The booking screens. */
export const bookingRoutes = [
  lazyScreen(bookingPaths.list, async () => (await import("./BookingsPage")).BookingsPage),
  lazyScreen(
    bookingPaths.createProposal,
    async () => (await import("./CreateProposalPage")).CreateProposalPage,
  ),
  lazyScreen(bookingPaths.proposal, async () => (await import("./ProposalPage")).ProposalPage),
  lazyScreen(
    bookingPaths.createApproval,
    async () => (await import("./CreateApprovalPage")).CreateApprovalPage,
  ),
  lazyScreen(bookingPaths.approval, async () => (await import("./ApprovalPage")).ApprovalPage),
];
