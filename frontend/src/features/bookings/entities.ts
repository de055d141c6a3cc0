import type { SelectOption } from "@/shared/form/SearchableSelect";
import type { PickLists } from "./samplePickLists";

/* The records of bookings (spec, section 3). */

export type Route = PickLists["routes"][number];

export const PROPOSAL_STATUSES = ["pending", "approved", "in-progress", "completed", "rejected"] as const;
export type ProposalStatus = (typeof PROPOSAL_STATUSES)[number];

export const APPROVAL_STATUSES = ["pending-review", "approved", "rejected"] as const;
export type ApprovalStatus = (typeof APPROVAL_STATUSES)[number];

export const PRIORITIES = ["high", "medium", "low"] as const;
export type Priority = (typeof PRIORITIES)[number];

/** Horse, trailers and driver are ids. */
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
  /** Reviewers' earlier comments; empty if none. */
  comments: string;
  submissionNotes: string;
}

export const COMMODITIES: readonly SelectOption[] = [
  { value: "steel", label: "Steel" },
  { value: "coal", label: "Coal" },
  { value: "cement", label: "Cement" },
  { value: "machinery", label: "Machinery" },
  { value: "chemicals", label: "Chemicals" },
  { value: "textiles", label: "Textiles" },
  { value: "food-grains", label: "Food Grains" },
  { value: "petroleum", label: "Petroleum Products" },
  { value: "electronics", label: "Electronics" },
  { value: "automotive", label: "Automotive Parts" },
];

export const CARGO_TYPES: readonly SelectOption[] = [
  { value: "dry", label: "Dry Cargo" },
  { value: "liquid", label: "Liquid Cargo" },
  { value: "refrigerated", label: "Refrigerated Cargo" },
  { value: "hazardous", label: "Hazardous Materials" },
  { value: "oversized", label: "Oversized Cargo" },
  { value: "bulk", label: "Bulk Cargo" },
  { value: "container", label: "Containerized Cargo" },
];

/** The label of an option's value; the value itself if it is not an option. */
export function labelOf(options: readonly SelectOption[], value: string): string {
  return options.find((option) => option.value === value)?.label ?? value;
}

/** A status with spaces instead of hyphens. */
export function statusText(status: string): string {
  return status.replaceAll("-", " ");
}
