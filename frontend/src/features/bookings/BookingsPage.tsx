import { Plus } from "@blueprintjs/icons";
import { useListState } from "@/shared/table";
import { useAddressParams } from "@/shared/table/useAddressParams";
import { LinkButton, Loaded, PageHeader } from "@/shared/ui";
import { ScreenTabs } from "@/shared/ui/ScreenTabs";
import { approvalList } from "./approvalList";
import { BookingTab } from "./BookingTab";
import { bookingPaths } from "./paths";
import { proposalList } from "./proposalList";
import { useApprovals, useProposals } from "./useBookings";

/** What the one list's address says is not meant for the other one. */
const LIST_PARAMS = [
  ...["q", "sort", "page", "hide"],
  ...[...proposalList.filters, ...approvalList.filters].map(({ id }) => id),
];

/** Booking proposals and their approvals, a tab for each. */
export function BookingsPage() {
  const [params, update] = useAddressParams();
  const state = useListState();
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
          { id: "proposals", title: "Booking Proposal Management", panel: <Proposals /> },
          { id: "approvals", title: "Booking Approval Management", panel: <Approvals /> },
        ]}
        open={tab}
        onOpen={open}
      />
    </>
  );
}

function Proposals() {
  return (
    <Loaded query={useProposals()} what="booking proposals">
      {(proposals) => <BookingTab list={proposalList} rows={proposals} />}
    </Loaded>
  );
}

function Approvals() {
  return (
    <Loaded query={useApprovals()} what="booking approvals">
      {(approvals) => <BookingTab list={approvalList} rows={approvals} />}
    </Loaded>
  );
}
