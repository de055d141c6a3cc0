import { Edit, Plus, Trash } from "@blueprintjs/icons";
import { DataTable, useFigureFilter } from "@/shared/table";
import { ErrorState, type Figure, PageHeader, StatCards, UnavailableButton } from "@/shared/ui";
import { type Trip, type TripStatus, tripPath, tripTone } from "../trip";
import { useTrips } from "../useTrips";
import { tripColumns, tripSearchFields } from "./columns";

const SORT = { id: "id", desc: false };
const NO_TRIPS: readonly Trip[] = [];
/** Statuses with a card; Delayed has none (spec, section 2). */
const COUNTED: readonly TripStatus[] = ["In Transit", "Completed", "Scheduled"];
const hasStatus = ({ status }: Trip, wanted: string) => status === wanted;
const COPY_ID = { text: "Copy trip ID", done: "Trip ID copied to your clipboard" };

/** The specification gives these items no behaviour (screens). */
const NOT_WIRED = [
  { text: "Edit Trip", icon: <Edit /> },
  { text: "Delete Trip", icon: <Trash />, destructive: true },
];

export function TripListPage() {
  const { data: trips, error } = useTrips();
  const figures: readonly Figure[] = [
    { label: "Total Trips", value: trips?.length },
    ...COUNTED.map((status) => ({
      label: status,
      value: trips?.filter((trip) => hasStatus(trip, status)).length,
      tone: tripTone(status),
      filter: status,
    })),
  ];
  const { chosen, choose, narrowedBy, passing } = useFigureFilter(trips ?? NO_TRIPS, figures, hasStatus);
  return (
    <>
      <PageHeader
        title="Trips Management"
        subtitle="Monitor and manage all transport operations"
        isSample
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
          narrowedBy={narrowedBy}
          isSample
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
