import { Clipboard, Edit, EyeOpen, Trash } from "@blueprintjs/icons";
import { memo } from "react";
import { useNavigate } from "react-router";
import { useCopyId } from "@/shared/records/useCopyId";
import { DataTable, type RowAction, useListState, useTableView } from "@/shared/table";
import { ErrorState, LoadingState, StatCard, StatCards } from "@/shared/ui";
import { routeColumns, routeSearchFields } from "./columns";
import { routePath } from "./paths";
import { routeFigures, type TransportRoute } from "./route";
import { useRoutes } from "./useRoutes";

/** All routes: figures, search, table, and what can be done with each. */
export function RoutesTab() {
  const { routes, error } = useRoutes();
  const view = useTableView({ name: "routes", columns: routeColumns, defaultSort: SORT });
  const rowActions = useRowActions();

  if (routes === undefined) {
    if (error === undefined) return <LoadingState label="Loading routes..." />;
    return <ErrorState title="Failed to load routes" onRetry={() => window.location.reload()} />;
  }
  return (
    <>
      <RouteCards routes={routes} />
      <DataTable
        label="Routes"
        rows={routes}
        columns={routeColumns}
        view={view}
        searchPlaceholder="Search routes by name..."
        searchFields={routeSearchFields}
        rowId={({ id }) => id}
        rowName={({ name }) => name}
        rowHref={({ id }) => routePath(id)}
        rowActions={rowActions}
      />
    </>
  );
}

const SORT = { id: "name", desc: false };

const RouteCards = memo(({ routes }: { routes: readonly TransportRoute[] }) => {
  const { total, active, destinations, efficiency } = routeFigures(routes);
  return (
    <StatCards>
      <StatCard label="Total Routes" value={total} />
      <StatCard label="Active Routes" value={active} tone="success" />
      <StatCard label="Destinations" value={destinations} />
      <StatCard
        label="Efficiency"
        value={efficiency === null ? "None" : `${efficiency}%`}
        note="estimated to actual time"
        tone="info"
      />
    </StatCards>
  );
});

function useRowActions(): (route: TransportRoute) => readonly RowAction[] {
  const navigate = useNavigate();
  const state = useListState();
  const copy = useCopyId();

  return ({ id, name }) => [
    {
      text: "Copy route name",
      icon: <Clipboard />,
      onSelect: () => copy(name, "Route name copied to your clipboard"),
    },
    { text: "View Details", icon: <EyeOpen />, onSelect: () => navigate(routePath(id), { state }) },
    // These two do nothing: so the specification has it (section 2).
    { text: "Edit Route", icon: <Edit />, onSelect: () => undefined },
    { text: "Delete Route", icon: <Trash />, destructive: true, onSelect: () => undefined },
  ];
}
