import { Edit, Plus, Trash } from "@blueprintjs/icons";
import { DataTable, useFigureFilter } from "@/shared/table";
import { ErrorState, type Figure, PageHeader, StatCards, UnavailableButton } from "@/shared/ui";
import { countTrips } from "../statuses";
import type { Trip } from "../trip";
import { tripPath } from "../tripPath";
import { useTrips } from "../useTrips";
import { tripColumns, tripSearchFields } from "./columns";

const SORT = { id: "id", desc: false };
const NO_TRIPS: readonly Trip[] = [];
const hasStatus = ({ status }: Trip, wanted: string) => status === wanted;
const COPY_ID = { text: "Copy trip ID", done: "Trip ID copied to your clipboard" };

/** The specification gives these items no behaviour (screens). */
const NOT_WIRED = [
  { text: "Edit Trip", icon: <Edit /> },
  { text: "Delete Trip", icon: <Trash />, destructive: true },
];

/** All trips: figures, and the table. */
export function TripListPage() {
  const { data: trips, error } = useTrips();
  const counts = trips && countTrips(trips);
  const figures: readonly Figure[] = [
    { label: "Total Trips", value: counts?.total },
    { label: "In Transit", value: counts?.inTransit, tone: "info", filter: "In Transit" },
    { label: "Completed", value: counts?.completed, tone: "success", filter: "Completed" },
    { label: "Scheduled", value: counts?.scheduled, tone: "warning", filter: "Scheduled" },
  ];
  const { chosen, choose, passing } = useFigureFilter(trips ?? NO_TRIPS, figures, hasStatus);
  return (
    <>
      <PageHeader
        title="Trips Management"
        subtitle="Monitor and manage all transport operations"
        // The specification gives this button no behaviour (screens).
        actions={<UnavailableButton icon={<Plus />} text="New Trip" />}
      />
      <StatCards figures={figures} chosen={chosen} onChoose={choose} />
      {trips === undefined && error !== undefined ? (
        <ErrorState title="Failed to load trips" onRetry={() => window.location.reload()} />
      ) : (
        <DataTable
          name="trips"
          label="Trips"
          rows={passing}
          isLoading={trips === undefined}
          selectable
          columns={tripColumns}
          defaultSort={SORT}
          searchPlaceholder="Search trips, clients, or trip numbers..."
          searchFields={tripSearchFields}
          rowHref={({ id }) => tripPath(id)}
          copy={COPY_ID}
          rowActions={() => NOT_WIRED}
        />
      )}
    </>
  );
}
