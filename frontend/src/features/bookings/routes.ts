import { lazyScreen } from "@/shared/frame/lazyScreen";
import { bookingPaths } from "./paths";

export const bookingRoutes = [
  lazyScreen(bookingPaths.list, async () => (await import("./BookingsPage")).BookingsPage),
  lazyScreen(bookingPaths.createProposal, async () => (await import("./CreatePages")).CreateProposalPage),
  lazyScreen(bookingPaths.proposal, async () => (await import("./DetailPages")).ProposalPage),
  lazyScreen(bookingPaths.createApproval, async () => (await import("./CreatePages")).CreateApprovalPage),
  lazyScreen(bookingPaths.approval, async () => (await import("./DetailPages")).ApprovalPage),
];
