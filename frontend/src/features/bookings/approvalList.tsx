import { DateText } from "@/shared/format/DateText";
import { BookingBadge } from "./BookingBadge";
import type { BookingList } from "./BookingTab";
import { APPROVAL_STATUSES, type Approval, type ApprovalStatus, PRIORITIES } from "./entities";
import { approvalPath } from "./paths";
import { statusText } from "./statuses";

export const approvalList: BookingList<Approval> = {
  name: "booking-approvals",
  label: "Booking approvals",
  columns: [
    { id: "id", header: "Approval ID" },
    { id: "proposalId", header: "Proposal ID" },
    { id: "clientOrganization", header: "Client Organization", wraps: true, card: "second" },
    { id: "route", header: "Route", value: ({ route }) => route.name, wraps: true },
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
    { id: "client", label: "Client", kind: "exact", value: ({ clientOrganization }) => clientOrganization },
    {
      id: "priority",
      label: "Priority",
      kind: "exact",
      value: ({ priority }) => priority,
      choices: PRIORITIES,
    },
  ],
  // The newest first.
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
  figuresOf: (approvals) => {
    const count = (wanted: ApprovalStatus) =>
      approvals.filter(({ approvalStatus }) => approvalStatus === wanted).length;
    return [
      { label: "Total Approvals", value: approvals.length },
      { label: "Pending Review", value: count("pending-review"), tone: "warning", filter: "pending-review" },
      { label: "Approved", value: count("approved"), tone: "success", filter: "approved" },
      { label: "Rejected", value: count("rejected"), tone: "danger", filter: "rejected" },
    ];
  },
};
