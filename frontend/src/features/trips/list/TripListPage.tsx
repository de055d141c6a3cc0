import { Button } from "@blueprintjs/core";
import { Clipboard, Edit, EyeOpen, Plus, Trash } from "@blueprintjs/icons";
import { useNavigate } from "react-router";
import { useCopyId } from "@/shared/records/useCopyId";
import { DataTable, type RowAction, useListState, useTableView } from "@/shared/table";
import { ErrorState, PageHeader, StatCard, StatCards } from "@/shared/ui";
import { countTrips } from "../statuses";
import type { Trip } from "../trip";
import { tripPath } from "../tripPath";
import { useTrips } from "../useTrips";
import { tripColumns, tripSearchFields } from "./columns";

const SORT = { id: "id", desc: false };
const NO_TRIPS: readonly Trip[] = [];

/** All trips: figures, and the table. */
export function TripListPage() {
  const { trips, error } = useTrips();
  return (
    <>
      <PageHeader
        title="Trips Management"
        subtitle="Monitor and manage all transport operations"
        // The specification gives this button no behaviour (section 2).
        actions={<Button intent="primary" icon={<Plus />} text="New Trip" />}
      />
      <TripCards trips={trips} />
      {trips === undefined && error !== undefined ? (
        <ErrorState title="Failed to load trips" onRetry={() => window.location.reload()} />
      ) : (
        <TripTable trips={trips} />
      )}
    </>
  );
}

interface TripsProps {
  /** Undefined until the first answer. */
  trips: readonly Trip[] | undefined;
}

function TripCards({ trips }: TripsProps) {
  const counts = trips && countTrips(trips);
  return (
    <StatCards>
      <StatCard label="Total Trips" value={counts?.total} />
      <StatCard label="In Transit" value={counts?.inTransit} tone="info" />
      <StatCard label="Completed" value={counts?.completed} tone="success" />
      <StatCard label="Scheduled" value={counts?.scheduled} tone="warning" />
    </StatCards>
  );
}

function TripTable({ trips }: TripsProps) {
  const view = useTableView({ name: "trips", columns: tripColumns, defaultSort: SORT });
  return (
    <DataTable
      label="Trips"
      rows={trips ?? NO_TRIPS}
      isLoading={trips === undefined}
      selectable
      columns={tripColumns}
      view={view}
      searchPlaceholder="Search trips, clients, or trip numbers..."
      searchFields={tripSearchFields}
      rowId={({ id }) => id}
      rowName={({ id }) => id}
      rowHref={({ id }) => tripPath(id)}
      rowActions={useTripActions()}
    />
  );
}

function useTripActions(): (trip: Trip) => readonly RowAction[] {
  const navigate = useNavigate();
  const state = useListState();
  const copy = useCopyId();
  return ({ id }) => [
    {
      text: "Copy trip ID",
      icon: <Clipboard />,
      onSelect: () => copy(id, "Trip ID copied to your clipboard"),
    },
    { text: "View Details", icon: <EyeOpen />, onSelect: () => navigate(tripPath(id), { state }) },
    { text: "Edit Trip", icon: <Edit />, onSelect: doNothing },
    { text: "Delete Trip", icon: <Trash />, destructive: true, onSelect: doNothing },
  ];
}

/** The specification gives these items no behaviour (section 2). */
function doNothing(): void {}
