import { DateText } from "@/shared/format/DateText";
import type { DataColumn } from "@/shared/table";
import { ProposalStatusBadge } from "./Badges";
import { PROPOSAL_STATUSES, type Proposal } from "./entities";
import type { FilterSpec } from "./filters";
import { statusText, tripsText } from "./statuses";

/** The proposals' columns, as the specification has them. */
export const proposalColumns: readonly DataColumn<Proposal>[] = [
  { id: "id", header: "Proposal ID", value: (proposal) => proposal.id },
  {
    id: "clientOrganization",
    header: "Client Organization",
    value: (proposal) => proposal.clientOrganization,
  },
  { id: "route", header: "Route", value: (proposal) => proposal.route.name },
  {
    id: "proposalTrips",
    header: "Proposal Trips",
    value: (proposal) => proposal.proposalTrips,
    render: ({ proposalTrips }) => tripsText(proposalTrips),
  },
  {
    id: "status",
    header: "Status",
    value: (proposal) => statusText(proposal.status),
    render: ({ status }) => <ProposalStatusBadge status={status} />,
  },
  {
    id: "createdDate",
    header: "Created Date",
    value: (proposal) => proposal.createdDate,
    render: ({ createdDate }) => <DateText date={createdDate} />,
  },
];

/** What the search looks through: id, client and route. */
export function proposalSearchFields({ id, clientOrganization, route }: Proposal): readonly string[] {
  return [id, clientOrganization, route.name];
}

export const proposalFilters: readonly FilterSpec<Proposal>[] = [
  {
    id: "status",
    label: "Status",
    kind: "exact",
    value: ({ status }) => status,
    choices: PROPOSAL_STATUSES,
    textOf: statusText,
  },
  { id: "client", label: "Client", kind: "exact", value: ({ clientOrganization }) => clientOrganization },
  { id: "route", label: "Route", kind: "exact", value: ({ route }) => route.name },
  { id: "from", label: "Date From", kind: "from", value: ({ createdDate }) => createdDate },
  { id: "to", label: "Date To", kind: "to", value: ({ createdDate }) => createdDate },
];
