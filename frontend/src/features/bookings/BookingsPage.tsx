import { Plus } from "@blueprintjs/icons";
import { DataTable, useListState } from "@/shared/table";
import { FilterBar } from "@/shared/table/filters/FilterBar";
import { activeText } from "@/shared/table/filters/filters";
import { useFilters } from "@/shared/table/filters/useFilters";
import { useAddressParams } from "@/shared/table/useAddressParams";
import { LinkButton, PageHeader, StatCards } from "@/shared/ui";
import { ScreenTabs } from "@/shared/ui/ScreenTabs";
import { approvalList, type BookingList, proposalList } from "./lists";
import { bookingPaths } from "./paths";
import { useApprovals, useProposals } from "./useBookings";

/** Query parameters that belong to one list and are cleared when the tab changes. */
const LIST_PARAMS = [
  ...["q", "sort", "page", "row", "hide"],
  ...[...proposalList.filters, ...approvalList.filters].map(({ id }) => id),
];

export function BookingsPage() {
  const [params, update] = useAddressParams();
  const state = useListState();
  const [proposals, approvals] = [useProposals(), useApprovals()];
  const tab = params.get("tab") === "approvals" ? "approvals" : "proposals";
  const open = (id: typeof tab) => {
    const cleared = Object.fromEntries(LIST_PARAMS.map((name) => [name, null]));
    update({ ...cleared, tab: id === "approvals" ? "approvals" : null });
  };

  return (
    <>
      <PageHeader
        title="Booking Management"
        subtitle="Booking proposals and their approvals"
        isSample
        actions={
          tab === "proposals" && (
            <LinkButton
              to={bookingPaths.createProposal}
              state={state}
              intent="primary"
              icon={<Plus />}
              text="Create New Booking Proposal"
            />
          )
        }
      />
      <ScreenTabs
        id="bookings"
        tabs={[
          {
            id: "proposals",
            title: "Booking Proposal Management",
            panel: <BookingTab list={proposalList} rows={proposals} />,
          },
          {
            id: "approvals",
            title: "Booking Approval Management",
            panel: <BookingTab list={approvalList} rows={approvals} />,
          },
        ]}
        open={tab}
        onOpen={open}
      />
    </>
  );
}

function BookingTab<Row extends { id: string }>({
  list,
  rows,
}: {
  list: BookingList<Row>;
  rows: readonly Row[];
}) {
  const { filters: specs, statusOf, figures, ...table } = list;
  const filters = useFilters(rows, specs);
  const [status, ...others] = filters.active.filter(({ spec }) => spec.id === "status");
  return (
    <>
      <StatCards
        figures={figures.map((figure) => ({
          ...figure,
          value: rows.filter((row) => !figure.filter || statusOf(row) === figure.filter).length,
        }))}
        chosen={others.length === 0 ? status?.value : undefined}
        onChoose={(wanted) => filters.set("status", wanted ?? "")}
      />
      <DataTable
        {...table}
        rows={filters.passing}
        narrowedBy={filters.active.map(activeText)}
        isSample
        namesActions
        filters={<FilterBar filters={filters} />}
      />
    </>
  );
}
