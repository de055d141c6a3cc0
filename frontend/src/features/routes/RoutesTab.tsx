import { Edit, Trash } from "@blueprintjs/icons";
import { DateText } from "@/shared/format/DateText";
import { formatDistance } from "@/shared/format/distance";
import { total } from "@/shared/format/total";
import { type DataColumn, DataTable, useFigureFilter } from "@/shared/table";
import { type Figure, StatCards, StatusBadge } from "@/shared/ui";
import { formatDuration, STATUS_LOOKS, type TransportRoute } from "./route";
import { routePath } from "./routes";
import { sampleRoutes } from "./sampleRoutes";

export function RoutesTab() {
  const { chosen, choose, narrowedBy, passing } = useFigureFilter(sampleRoutes, FIGURES, hasStatus);
  return (
    <>
      <StatCards figures={FIGURES} chosen={chosen} onChoose={choose} />
      <DataTable
        name="routes"
        label="Routes"
        rows={passing}
        narrowedBy={narrowedBy}
        isSample
        columns={COLUMNS}
        defaultSort={SORT}
        searchPlaceholder="Search routes by name..."
        searchFields={searchFields}
        rowName={({ name }) => name}
        rowHref={({ id }) => routePath(id)}
        copy={COPY_NAME}
        rowActions={() => NOT_WIRED}
      />
    </>
  );
}

/** The specification's columns (section 2). */
const COLUMNS: readonly DataColumn<TransportRoute>[] = [
  { id: "name", header: "Name", wraps: true },
  { id: "startLocation", header: "Start" },
  { id: "endLocation", header: "End", card: "second" },
  { id: "stops", header: "Stops", amount: true },
  {
    id: "totalDistance",
    header: "Distance",
    render: ({ totalDistance }) => formatDistance(totalDistance),
    amount: true,
  },
  {
    id: "estimatedTime",
    header: "Est. Time",
    render: ({ estimatedTime }) => formatDuration(estimatedTime),
    amount: true,
  },
  {
    id: "status",
    header: "Status",
    card: "state",
    render: ({ status }) => <StatusBadge {...STATUS_LOOKS[status]} />,
  },
  {
    id: "lastUsed",
    header: "Last Used",
    render: ({ lastUsed }) => lastUsed && <DateText date={lastUsed} />,
    emptyText: "None",
  },
];

/** The search reads the name alone. */
const searchFields = ({ name }: TransportRoute) => [name];

const SORT = { id: "name", desc: false };
const hasStatus = ({ status }: TransportRoute, wanted: string) => status === wanted;
const COPY_NAME = {
  text: "Copy route name",
  done: "Route name copied to your clipboard",
  of: ({ name }: TransportRoute) => name,
};

/** The specification gives these no behaviour (section 2). */
const NOT_WIRED = [
  { text: "Edit Route", icon: <Edit /> },
  { text: "Delete Route", icon: <Trash />, destructive: true },
];

const driven = sampleRoutes
  .flatMap(({ segments }) => segments)
  .filter(({ actualTime }) => actualTime !== null);
const efficiency =
  total(driven.map(({ estimatedTime }) => estimatedTime)) /
  total(driven.map(({ actualTime }) => Number(actualTime)));

const FIGURES: readonly Figure[] = [
  { label: "Total Routes", value: sampleRoutes.length },
  {
    label: "Active Routes",
    value: sampleRoutes.filter((route) => hasStatus(route, "active")).length,
    tone: "success",
    filter: "active",
  },
  { label: "Destinations", value: new Set(sampleRoutes.map(({ endLocation }) => endLocation)).size },
  {
    label: "Efficiency",
    value: `${Math.round(efficiency * 100)}%`,
    note: "estimated to actual time",
    tone: "info",
  },
];
