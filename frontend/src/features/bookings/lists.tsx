import type { ComponentProps } from "react";
import { counted } from "@/shared/format/counted";
import { DateText } from "@/shared/format/DateText";
import type { DataTable } from "@/shared/table";
import type { FilterSpec } from "@/shared/table/filters/filters";
import { type Figure, StatusBadge, type StatusTone } from "@/shared/ui";
import {
  APPROVAL_STATUSES,
  type Approval,
  type ApprovalStatus,
  PRIORITIES,
  PROPOSAL_STATUSES,
  type Priority,
  type Proposal,
  type ProposalStatus,
  statusText,
} from "./entities";
import { approvalPath, proposalPath } from "./paths";

const TONES: Readonly<Record<ProposalStatus | ApprovalStatus | Priority, StatusTone>> = {
  pending: "warning",
  "pending-review": "warning",
  approved: "success",
  "in-progress": "info",
  completed: "neutral",
  rejected: "danger",
  high: "danger",
  medium: "warning",
  low: "neutral",
};

/** A badge for a status or a priority. */
export function BookingBadge({ of }: { of: keyof typeof TONES }) {
  return (
    <span data-capitalized>
      <StatusBadge label={statusText(of)} tone={TONES[of]} />
    </span>
  );
}

/** A list of the Booking Management screen (section 2). */
export interface BookingList<Row extends { id: string }>
  extends Pick<
    ComponentProps<typeof DataTable<Row>>,
    | "name"
    | "label"
    | "columns"
    | "defaultSort"
    | "searchPlaceholder"
    | "searchFields"
    | "emptyText"
    | "rowHref"
  > {
  filters: readonly FilterSpec<Row>[];
  statusOf: (row: Row) => string;
  /** Cards that count all rows, or those of a status. */
  figures: readonly Omit<Figure, "value">[];
}

const CLIENT = {
  id: "clientOrganization",
  header: "Client Organization",
  wraps: true,
  card: "second",
} as const;
const ROUTE = {
  id: "route",
  header: "Route",
  value: ({ route }: Proposal | Approval) => route.name,
  wraps: true,
};
const OF_CLIENT = {
  id: "client",
  label: "Client",
  kind: "exact",
  value: ({ clientOrganization }: Proposal | Approval) => clientOrganization,
} as const;

export const proposalList: BookingList<Proposal> = {
  name: "booking-proposals",
  label: "Booking proposals",
  columns: [
    { id: "id", header: "Proposal ID" },
    CLIENT,
    ROUTE,
    {
      id: "proposalTrips",
      header: "Proposal Trips",
      render: ({ proposalTrips }) => counted(proposalTrips, "trip"),
    },
    {
      id: "status",
      header: "Status",
      card: "state",
      value: ({ status }) => statusText(status),
      render: ({ status }) => <BookingBadge of={status} />,
    },
    {
      id: "createdDate",
      header: "Created Date",
      render: ({ createdDate }) => <DateText date={createdDate} />,
    },
  ],
  filters: [
    {
      id: "status",
      label: "Status",
      kind: "exact",
      value: ({ status }) => status,
      choices: PROPOSAL_STATUSES,
      textOf: statusText,
    },
    OF_CLIENT,
    { id: "route", label: "Route", kind: "exact", value: ({ route }) => route.name },
    { id: "from", label: "Date From", kind: "from", value: ({ createdDate }) => createdDate },
    { id: "to", label: "Date To", kind: "to", value: ({ createdDate }) => createdDate },
  ],
  defaultSort: { id: "createdDate", desc: true },
  searchPlaceholder: "Search proposals by ID, client, or route...",
  searchFields: ({ id, clientOrganization, route }) => [id, clientOrganization, route.name],
  emptyText: "No booking proposals found matching your search criteria.",
  rowHref: ({ id }) => proposalPath(id),
  statusOf: ({ status }) => status,
  figures: [
    { label: "Total Proposals" },
    { label: "Approved", tone: "success", filter: "approved" },
    { label: "Pending", note: "Awaiting approval", tone: "warning", filter: "pending" },
    { label: "In Progress", note: "Currently active", tone: "info", filter: "in-progress" },
  ],
};

export const approvalList: BookingList<Approval> = {
  name: "booking-approvals",
  label: "Booking approvals",
  columns: [
    { id: "id", header: "Approval ID" },
    { id: "proposalId", header: "Proposal ID" },
    CLIENT,
    ROUTE,
    {
      id: "approvalStatus",
      header: "Approval Status",
      card: "state",
      value: ({ approvalStatus }) => statusText(approvalStatus),
      render: ({ approvalStatus }) => <BookingBadge of={approvalStatus} />,
    },
    {
      id: "priority",
      header: "Priority",
      render: ({ priority }) => <BookingBadge of={priority} />,
    },
    { id: "reviewer", header: "Reviewer", wraps: true },
    {
      id: "submittedDate",
      header: "Submitted Date",
      render: ({ submittedDate }) => <DateText date={submittedDate} />,
    },
  ],
  filters: [
    {
      id: "status",
      label: "Approval Status",
      kind: "exact",
      value: ({ approvalStatus }) => approvalStatus,
      choices: APPROVAL_STATUSES,
      textOf: statusText,
    },
    OF_CLIENT,
    {
      id: "priority",
      label: "Priority",
      kind: "exact",
      value: ({ priority }) => priority,
      choices: PRIORITIES,
    },
  ],
  defaultSort: { id: "submittedDate", desc: true },
  searchPlaceholder: "Search by approval ID, proposal ID, client, or route...",
  searchFields: (approval) => [
    approval.id,
    approval.proposalId,
    approval.clientOrganization,
    approval.route.name,
  ],
  emptyText: "No booking approvals found matching your search criteria.",
  rowHref: ({ id }) => approvalPath(id),
  statusOf: ({ approvalStatus }) => approvalStatus,
  figures: [
    { label: "Total Approvals" },
    { label: "Pending Review", tone: "warning", filter: "pending-review" },
    { label: "Approved", tone: "success", filter: "approved" },
    { label: "Rejected", tone: "danger", filter: "rejected" },
  ],
};
