import { DateText } from "@/shared/format/DateText";
import { BookingBadge } from "./BookingBadge";
import type { BookingList } from "./BookingTab";
import { PROPOSAL_STATUSES, type Proposal, type ProposalStatus } from "./entities";
import { proposalPath } from "./paths";
import { statusText, tripsText } from "./statuses";

export const proposalList: BookingList<Proposal> = {
  name: "booking-proposals",
  label: "Booking proposals",
  columns: [
    { id: "id", header: "Proposal ID" },
    { id: "clientOrganization", header: "Client Organization", wraps: true, card: "second" },
    { id: "route", header: "Route", value: ({ route }) => route.name, wraps: true },
    {
      id: "proposalTrips",
      header: "Proposal Trips",
      render: ({ proposalTrips }) => tripsText(proposalTrips),
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
    { id: "client", label: "Client", kind: "exact", value: ({ clientOrganization }) => clientOrganization },
    { id: "route", label: "Route", kind: "exact", value: ({ route }) => route.name },
    { id: "from", label: "Date From", kind: "from", value: ({ createdDate }) => createdDate },
    { id: "to", label: "Date To", kind: "to", value: ({ createdDate }) => createdDate },
  ],
  // The newest first.
  defaultSort: { id: "createdDate", desc: true },
  searchPlaceholder: "Search proposals by ID, client, or route...",
  searchFields: ({ id, clientOrganization, route }) => [id, clientOrganization, route.name],
  emptyText: "No booking proposals found matching your search criteria.",
  rowHref: ({ id }) => proposalPath(id),
  figuresOf: (proposals) => {
    const count = (wanted: ProposalStatus) => proposals.filter(({ status }) => status === wanted).length;
    return [
      { label: "Total Proposals", value: proposals.length },
      { label: "Approved", value: count("approved"), tone: "success", filter: "approved" },
      {
        label: "Pending",
        value: count("pending"),
        note: "Awaiting approval",
        tone: "warning",
        filter: "pending",
      },
      {
        label: "In Progress",
        value: count("in-progress"),
        note: "Currently active",
        tone: "info",
        filter: "in-progress",
      },
    ];
  },
};
