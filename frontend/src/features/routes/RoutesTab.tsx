import { Edit, Trash } from "@blueprintjs/icons";
import { useMemo } from "react";
import { DataTable, useFigureFilter } from "@/shared/table";
import { type Figure, Loaded, StatCards } from "@/shared/ui";
import { routeColumns, routeSearchFields } from "./columns";
import { routePath } from "./paths";
import { routeFigures, type TransportRoute } from "./route";
import { useRoutes } from "./useRoutes";

/** All routes: figures, search, table, and what can be done with each. */
export function RoutesTab() {
  return (
    <Loaded query={useRoutes()} what="routes">
      {(routes) => <RouteList routes={routes} />}
    </Loaded>
  );
}

function RouteList({ routes }: { routes: readonly TransportRoute[] }) {
  const figures = useMemo(() => figuresOf(routes), [routes]);
  const { chosen, choose, passing } = useFigureFilter(routes, figures, hasStatus);
  return (
    <>
      <StatCards figures={figures} chosen={chosen} onChoose={choose} />
      <DataTable
        name="routes"
        label="Routes"
        rows={passing}
        columns={routeColumns}
        defaultSort={SORT}
        searchPlaceholder="Search routes by name..."
        searchFields={routeSearchFields}
        rowName={({ name }) => name}
        rowHref={({ id }) => routePath(id)}
        copy={COPY_NAME}
        rowActions={() => NOT_WIRED}
      />
    </>
  );
}

const SORT = { id: "name", desc: false };
const hasStatus = ({ status }: TransportRoute, wanted: string) => status === wanted;
const COPY_NAME = {
  text: "Copy route name",
  done: "Route name copied to your clipboard",
  of: ({ name }: TransportRoute) => name,
};

/** These two do nothing: so the specification has it (screens). */
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
