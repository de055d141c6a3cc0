import { DateText } from "@/shared/format/DateText";
import type { DataColumn } from "@/shared/table";
import { ApprovalStatusBadge, PriorityBadge } from "./Badges";
import { APPROVAL_STATUSES, type Approval, PRIORITIES } from "./entities";
import type { FilterSpec } from "./filters";
import { statusText } from "./statuses";

/** The approvals' columns, as the specification has them. */
export const approvalColumns: readonly DataColumn<Approval>[] = [
  { id: "id", header: "Approval ID", value: (approval) => approval.id },
  { id: "proposalId", header: "Proposal ID", value: (approval) => approval.proposalId },
  {
    id: "clientOrganization",
    header: "Client Organization",
    value: (approval) => approval.clientOrganization,
  },
  { id: "route", header: "Route", value: (approval) => approval.route.name },
  {
    id: "approvalStatus",
    header: "Approval Status",
    value: (approval) => statusText(approval.approvalStatus),
    render: ({ approvalStatus }) => <ApprovalStatusBadge status={approvalStatus} />,
  },
  {
    id: "priority",
    header: "Priority",
    value: (approval) => approval.priority,
    render: ({ priority }) => <PriorityBadge priority={priority} />,
  },
  { id: "reviewer", header: "Reviewer", value: (approval) => approval.reviewer },
  {
    id: "submittedDate",
    header: "Submitted Date",
    value: (approval) => approval.submittedDate,
    render: ({ submittedDate }) => <DateText date={submittedDate} />,
  },
];

/** What the search looks through: both ids, client and route. */
export function approvalSearchFields(approval: Approval): readonly string[] {
  return [approval.id, approval.proposalId, approval.clientOrganization, approval.route.name];
}

export const approvalFilters: readonly FilterSpec<Approval>[] = [
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
];
