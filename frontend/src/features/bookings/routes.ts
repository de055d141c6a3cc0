import type { RouteObject } from "react-router";
import { bookingPaths } from "./paths";

/** The booking screens; each is loaded when it is first visited. */
export const bookingRoutes: RouteObject[] = [
  {
    path: bookingPaths.list,
    lazy: async () => ({ Component: (await import("./BookingsPage")).BookingsPage }),
  },
  {
    path: bookingPaths.createProposal,
    lazy: async () => ({ Component: (await import("./CreateProposalPage")).CreateProposalPage }),
  },
  {
    path: bookingPaths.proposal,
    lazy: async () => ({ Component: (await import("./ProposalPage")).ProposalPage }),
  },
  {
    path: bookingPaths.createApproval,
    lazy: async () => ({ Component: (await import("./CreateApprovalPage")).CreateApprovalPage }),
  },
  {
    path: bookingPaths.approval,
    lazy: async () => ({ Component: (await import("./ApprovalPage")).ApprovalPage }),
  },
];
