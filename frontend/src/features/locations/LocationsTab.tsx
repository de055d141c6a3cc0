import { Edit, EyeOpen } from "@blueprintjs/icons";
import { memo } from "react";
import { useNavigate } from "react-router";
import { useAsOf } from "@/shared/asOf";
import { editPath, viewPath } from "@/shared/records/paths";
import { DataTable, type RowAction, useListState, useTableView } from "@/shared/table";
import { useFailureToast } from "@/shared/toast";
import { StatCard, StatCards } from "@/shared/ui";
import { type LocationType, locationDefinition } from "./definition";
import { LoadFailure } from "./LoadFailure";
import { findSampleLocation } from "./sampleLocations";
import { type LocationRow, useLocations } from "./useLocations";

const { columns, paths, searchFields } = locationDefinition;

/** All locations, to stand in a tab beside the routes: the samples, followed by those that were saved. */
export function LocationsTab() {
  const { locations, isLoading, error, retry } = useLocations();
  const view = useTableView({ name: "locations", columns, defaultSort: AS_THEY_COME });
  const rowActions = useRowActions();
  const { addressOf } = useAsOf();
  useFailureToast(error !== undefined, "Error", "Failed to load locations. Please try again.");

  return (
    <>
      <LocationCards locations={isLoading ? undefined : locations} />
      {error !== undefined && <LoadFailure onRetry={retry} />}
      <DataTable
        label="Locations"
        rows={locations}
        columns={columns}
        view={view}
        searchPlaceholder="Search locations by name..."
        searchFields={searchFields}
        rowId={({ id }) => id}
        rowName={({ name }) => name}
        rowHref={({ id }) => addressOf(viewPath(paths, id))}
        rowActions={rowActions}
        isLoading={isLoading}
      />
    </>
  );
}

/** By no column: the samples first, as the specification has it, until the reader asks for an order. */
const AS_THEY_COME = { id: "", desc: false };

/** Counts all locations, once they are known. */
const LocationCards = memo(({ locations }: { locations: readonly LocationRow[] | undefined }) => {
  const count = (wanted: LocationType) => locations?.filter(({ type }) => type === wanted).length;
  return (
    <StatCards>
      <StatCard label="Total" value={locations?.length} />
      <StatCard label="Hubs" value={count("HUB")} tone="info" />
      <StatCard label="Warehouses" value={count("WAREHOUSE")} tone="success" />
      <StatCard label="Service Points" value={count("SERVICE_POINT")} tone="warning" />
    </StatCards>
  );
});

function useRowActions(): (location: LocationRow) => readonly RowAction[] {
  const navigate = useNavigate();
  const { asOf, addressOf } = useAsOf();
  const state = useListState();

  return ({ id }) => {
    const go = (address: string) => navigate(addressOf(address), { state });
    const view = {
      text: "View Details",
      icon: <EyeOpen />,
      onSelect: () => go(viewPath(paths, id)),
    };
    // Samples are nowhere saved, and the past is read-only: there is nothing to edit.
    if (asOf !== null || findSampleLocation(id)) return [view];
    const edit = { text: "Edit Location", icon: <Edit />, onSelect: () => go(editPath(paths, id)) };
    return [view, edit];
  };
}
