import { EyeOpen } from "@blueprintjs/icons";
import { useNavigate } from "react-router";
import { DataTable, useListState, useTableView } from "@/shared/table";
import { StatCard, StatCards } from "@/shared/ui";
import type { Proposal } from "./entities";
import { FilterBar } from "./FilterBar";
import { proposalPath } from "./paths";
import { proposalColumns, proposalFilters, proposalSearchFields } from "./proposalList";
import { countProposals } from "./statuses";
import { useFilters } from "./useFilters";

/** The proposals: figures, search, filters and table. */
export function ProposalsTab({ proposals }: { proposals: readonly Proposal[] }) {
  const view = useTableView({ name: "booking-proposals", columns: proposalColumns, defaultSort: SORT });
  const filters = useFilters(proposals, proposalFilters);
  const navigate = useNavigate();
  const state = useListState();
  const counts = countProposals(proposals);

  return (
    <>
      <StatCards>
        <StatCard label="Total Proposals" value={counts.total} />
        <StatCard label="Approved" value={counts.approved} tone="success" />
        <StatCard label="Pending" value={counts.pending} note="Awaiting approval" tone="warning" />
        <StatCard label="In Progress" value={counts.inProgress} note="Currently active" tone="info" />
      </StatCards>
      <DataTable
        label="Booking proposals"
        rows={filters.passing}
        columns={proposalColumns}
        view={view}
        namesActions
        searchPlaceholder="Search proposals by ID, client, or route..."
        searchFields={proposalSearchFields}
        filters={<FilterBar filters={filters} rows={proposals} />}
        emptyText="No booking proposals found matching your search criteria."
        rowId={({ id }) => id}
        rowName={({ id }) => id}
        rowHref={({ id }) => proposalPath(id)}
        rowActions={({ id }) => [
          {
            text: "View Details",
            icon: <EyeOpen />,
            onSelect: () => navigate(proposalPath(id), { state }),
          },
        ]}
      />
    </>
  );
}

/** The newest first. */
const SORT = { id: "createdDate", desc: true };
