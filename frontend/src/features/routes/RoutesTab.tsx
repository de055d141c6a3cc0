import { Edit, Trash } from "@blueprintjs/icons";
import { useMemo } from "react";
import { DateText } from "@/shared/format/DateText";
import { formatDistance } from "@/shared/format/distance";
import { type DataColumn, DataTable, useFigureFilter } from "@/shared/table";
import { type Figure, Loaded, StatCards, StatusBadge } from "@/shared/ui";
import { formatDuration, routeFigures, STATUS_LOOKS, type TransportRoute } from "./route";
import { routePath } from "./routes";
import { useRoutes } from "./useRoutes";

export function RoutesTab() {
  return (
    <Loaded query={useRoutes()} what="routes">
      {(routes) => <RouteList routes={routes} />}
    </Loaded>
  );
}

function RouteList({ routes }: { routes: readonly TransportRoute[] }) {
  const figures = useMemo(() => figuresOf(routes), [routes]);
  const { chosen, choose, narrowedBy, passing } = useFigureFilter(routes, figures, hasStatus);
  return (
    <>
      <StatCards figures={figures} chosen={chosen} onChoose={choose} />
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

function figuresOf(routes: readonly TransportRoute[]): readonly Figure[] {
  const { total, active, destinations, efficiency } = routeFigures(routes);
  const ratio = efficiency === null ? "None" : `${efficiency}%`;
  return [
    { label: "Total Routes", value: total },
    { label: "Active Routes", value: active, tone: "success", filter: "active" },
    { label: "Destinations", value: destinations },
    { label: "Efficiency", value: ratio, note: "estimated to actual time", tone: "info" },
  ];
}
