/* What bookings are made of (product.md: records). */

export interface Route {
  id: string;
  name: string;
  startLocation: string;
  endLocation: string;
  /** In km. */
  distance: number;
}

/** A client organization, or a transporter. */
export interface Client {
  id: string;
  name: string;
  location: string;
  /** Of 5. */
  rating: number;
}

export interface Horse {
  id: string;
  name: string;
  model: string;
  /** In tons. */
  capacity: number;
}

export interface Trailer {
  id: string;
  name: string;
  type: string;
  /** In tons. */
  capacity: number;
}

export interface Driver {
  id: string;
  name: string;
  licence: string;
  /** In years. */
  experience: number;
  /** Of 5. */
  rating: number;
}

/** What the forms choose from. */
export interface PickLists {
  routes: readonly Route[];
  clients: readonly Client[];
  horses: readonly Horse[];
  trailers: readonly Trailer[];
  drivers: readonly Driver[];
}

export const PROPOSAL_STATUSES = ["pending", "approved", "in-progress", "completed", "rejected"] as const;
export type ProposalStatus = (typeof PROPOSAL_STATUSES)[number];

export const APPROVAL_STATUSES = ["pending-review", "approved", "rejected"] as const;
export type ApprovalStatus = (typeof APPROVAL_STATUSES)[number];

export const PRIORITIES = ["high", "medium", "low"] as const;
export type Priority = (typeof PRIORITIES)[number];

/** Horse, trailers and driver are given by their ids. */
export interface ProposalTrip {
  id: string;
  horse: string;
  trailers: readonly string[];
  driver: string;
  /** In tons. */
  tonnage: number;
  /** Free text such as `2-3 days`. */
  eta: string;
}

export interface Proposal {
  id: string;
  /** The client's name. */
  clientOrganization: string;
  route: Route;
  /** How many trips there are. */
  proposalTrips: number;
  status: ProposalStatus;
  /** `YYYY-MM-DD`. */
  createdDate: string;
  trips: readonly ProposalTrip[];
}

export interface ApprovalTrip extends ProposalTrip {
  /** In dollars per ton. */
  transportRate: number;
  commodity: string;
  cargoType: string;
  /** By client; free text such as `3 days`. */
  transitTime: string;
  placeOfLoading: string;
  placeOfDelivery: string;
}

export interface Approval {
  id: string;
  proposalId: string;
  /** The client's name. */
  clientOrganization: string;
  route: Route;
  approvalStatus: ApprovalStatus;
  /** `YYYY-MM-DD`. */
  submittedDate: string;
  reviewer: string;
  priority: Priority;
  trips: readonly ApprovalTrip[];
  /** What reviewers have said before; empty where nobody has. */
  comments: string;
  submissionNotes: string;
}
