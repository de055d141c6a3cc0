import { Edit } from "@blueprintjs/icons";
import { useMemo } from "react";
import { useNavigate } from "react-router";
import { useAsOf } from "@/shared/asOf";
import { editPath, viewPath } from "@/shared/records/paths";
import { DataTable, useListState } from "@/shared/table";
import { useFailureToast } from "@/shared/toast";
import { type Figure, StatCards } from "@/shared/ui";
import { type LocationType, locationDefinition } from "./definition";
import { LoadFailure } from "./LoadFailure";
import { findSampleLocation } from "./sampleLocations";
import { type LocationRow, useLocations } from "./useLocations";

const { columns, paths, searchFields } = locationDefinition;

/** All locations, to stand in a tab beside the routes: the samples, followed by those that were saved. */
export function LocationsTab() {
  const { locations, isLoading, error, retry } = useLocations();
  const navigate = useNavigate();
  const { asOf, addressOf } = useAsOf();
  const state = useListState();
  const figures = useMemo(() => figuresOf(isLoading ? undefined : locations), [isLoading, locations]);
  useFailureToast(error !== undefined, "Error", "Failed to load locations. Please try again.");
  const edit = (id: string) => navigate(editPath(paths, id), { state });
  return (
    <>
      <StatCards figures={figures} />
      {error !== undefined && <LoadFailure onRetry={retry} />}
      <DataTable
        name="locations"
        label="Locations"
        rows={locations}
        columns={columns}
        defaultSort={AS_THEY_COME}
        searchPlaceholder="Search locations by name..."
        searchFields={searchFields}
        rowName={({ name }) => name}
        rowHref={({ id }) => addressOf(viewPath(paths, id))}
        rowActions={({ id }) =>
          // Samples are nowhere saved, and the past is read-only: there is nothing to edit.
          asOf !== null || findSampleLocation(id)
            ? []
            : [{ text: "Edit Location", icon: <Edit />, onSelect: () => edit(id) }]
        }
        isLoading={isLoading}
      />
    </>
  );
}

/** By no column: the samples first, as the specification has it, until the reader asks for an order. */
const AS_THEY_COME = { id: "", desc: false };

/** Counts all locations, once they are known. */
function figuresOf(locations: readonly LocationRow[] | undefined): readonly Figure[] {
  const count = (wanted: LocationType) => locations?.filter(({ type }) => type === wanted).length;
  return [
    { label: "Total", value: locations?.length },
    { label: "Hubs", value: count("HUB"), tone: "info" },
    { label: "Warehouses", value: count("WAREHOUSE"), tone: "success" },
    { label: "Service Points", value: count("SERVICE_POINT"), tone: "warning" },
  ];
}
