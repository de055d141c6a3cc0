import { Edit, Plus, Trash } from "@blueprintjs/icons";
import { type DataColumn, DataTable, useFigureFilter } from "@/shared/table";
import { type Figure, PageHeader, StatCards, StatusBadge, UnavailableButton } from "@/shared/ui";
import { sampleTrips } from "./sampleTrips";
import { type Trip, textAt, tripPath, tripTone } from "./trip";

export function TripListPage() {
  const { chosen, choose, narrowedBy, passing } = useFigureFilter(sampleTrips, FIGURES, hasStatus);
  return (
    <>
      <PageHeader
        title="Trips Management"
        subtitle="Monitor and manage all transport operations"
        isSample
        // The specification gives this button no behaviour (screens).
        actions={<UnavailableButton icon={<Plus />} text="New Trip" />}
      />
      <StatCards figures={FIGURES} chosen={chosen} onChoose={choose} />
      <DataTable
        name="trips"
        label="Trips"
        rows={passing}
        narrowedBy={narrowedBy}
        isSample
        selectable
        columns={COLUMNS}
        defaultSort={SORT}
        searchPlaceholder="Search trips, clients, or trip numbers..."
        searchFields={searchFields}
        rowHref={({ id }) => tripPath(id)}
        copy={COPY_ID}
        rowActions={() => NOT_WIRED}
      />
    </>
  );
}

const hasStatus = ({ status }: Trip, wanted: string) => status === wanted;

/** Delayed trips have no card (spec, section 2). */
const FIGURES: readonly Figure[] = [
  { label: "Total Trips", value: sampleTrips.length },
  ...["In Transit", "Completed", "Scheduled"].map((status) => ({
    label: status,
    value: sampleTrips.filter((trip) => hasStatus(trip, status)).length,
    tone: tripTone(status),
    filter: status,
  })),
];

const NONE = "None";

/** The specification's columns (section 2). */
const COLUMNS: readonly DataColumn<Trip>[] = [
  { id: "id", header: "Trip No.", emptyText: NONE },
  { id: "tripName", header: "Trip Name", emptyText: NONE, wraps: true, card: "second" },
  { id: "clientName", header: "Client Name", emptyText: NONE, wraps: true },
  {
    id: "loadingPoint",
    header: "Loading Point",
    render: (trip) => inUnbrokenParts(trip.loadingPoint),
    emptyText: NONE,
    wraps: true,
  },
  {
    id: "deliveryPoint",
    header: "Delivery Point",
    render: (trip) => inUnbrokenParts(trip.deliveryPoint),
    emptyText: NONE,
    wraps: true,
  },
  {
    id: "status",
    header: "Status",
    card: "state",
    render: ({ status }) => <StatusBadge label={status} tone={tripTone(status)} />,
    emptyText: NONE,
  },
  { id: "driver", header: "Driver", emptyText: NONE, wraps: true },
  { id: "vehicle", header: "Vehicle", emptyText: NONE },
];

/** Makes a place wrap only after a comma: never `JNPT, Navi` and `Mumbai`. */
function inUnbrokenParts(place: string): string {
  return place.replaceAll(/(?<!,) /g, "\u00a0");
}

const SORT = { id: "id", desc: false };
/** Only the name is searched, whatever the placeholder names (spec, section 2). */
const searchFields = (trip: Trip) => [textAt(trip, "tripName")];
const COPY_ID = { text: "Copy trip ID", done: "Trip ID copied to your clipboard" };

/** The specification gives these items no behaviour (screens). */
const NOT_WIRED = [
  { text: "Edit Trip", icon: <Edit /> },
  { text: "Delete Trip", icon: <Trash />, destructive: true },
];
