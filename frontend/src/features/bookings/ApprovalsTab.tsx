import { EyeOpen } from "@blueprintjs/icons";
import { useNavigate } from "react-router";
import { DataTable, useListState, useTableView } from "@/shared/table";
import { StatCard, StatCards } from "@/shared/ui";
import { approvalColumns, approvalFilters, approvalSearchFields } from "./approvalList";
import type { Approval } from "./entities";
import { FilterBar } from "./FilterBar";
import { approvalPath } from "./paths";
import { countApprovals } from "./statuses";
import { useFilters } from "./useFilters";

/** The approvals: figures, search, filters and table. */
export function ApprovalsTab({ approvals }: { approvals: readonly Approval[] }) {
  const view = useTableView({ name: "booking-approvals", columns: approvalColumns, defaultSort: SORT });
  const filters = useFilters(approvals, approvalFilters);
  const navigate = useNavigate();
  const state = useListState();
  const counts = countApprovals(approvals);

  return (
    <>
      <StatCards>
        <StatCard label="Total Approvals" value={counts.total} />
        <StatCard label="Pending Review" value={counts.pendingReview} tone="warning" />
        <StatCard label="Approved" value={counts.approved} tone="success" />
        <StatCard label="Rejected" value={counts.rejected} tone="danger" />
      </StatCards>
      <DataTable
        label="Booking approvals"
        rows={filters.passing}
        columns={approvalColumns}
        view={view}
        namesActions
        searchPlaceholder="Search by approval ID, proposal ID, client, or route..."
        searchFields={approvalSearchFields}
        filters={<FilterBar filters={filters} rows={approvals} />}
        emptyText="No booking approvals found matching your search criteria."
        rowId={({ id }) => id}
        rowName={({ id }) => id}
        rowHref={({ id }) => approvalPath(id)}
        rowActions={({ id }) => [
          {
            text: "View Details",
            icon: <EyeOpen />,
            onSelect: () => navigate(approvalPath(id), { state }),
          },
        ]}
      />
    </>
  );
}

/** The newest first. */
const SORT = { id: "submittedDate", desc: true };
