import { Edit } from "@blueprintjs/icons";
import { useMemo } from "react";
import { useNavigate } from "react-router";
import { useSWRConfig } from "swr";
import { useAsOf } from "@/shared/asOf";
import { usePermission } from "@/shared/auth/permissions";
import { type LinkedPlace, PlacesMap } from "@/shared/map";
import { useBulk } from "@/shared/records/bulk/useBulk";
import { editPath, viewPath } from "@/shared/records/paths";
import { isListPath, useNamedRow, useRecordList } from "@/shared/records/useRecords";
import { DataTable, useListState } from "@/shared/table";
import { useNarrowing } from "@/shared/table/filters/useNarrowing";
import { useFailureToast } from "@/shared/toast";
import { type Figure, RetryNotice, StatCards } from "@/shared/ui";
import { type LocationRow, type LocationType, locationDefinition } from "./definition";
import { findSampleLocation, sampleLocations } from "./sampleLocations";

const { api, columns, filters, paths, searchFields } = locationDefinition;

const SAMPLE_ROWS: readonly LocationRow[] = sampleLocations.map(api.toRow);

/** All locations: the samples, then the saved ones. */
export function LocationsTab() {
  const { data: saved, error } = useRecordList(api);
  const locations = useMemo(() => (saved ? [...SAMPLE_ROWS, ...saved] : SAMPLE_ROWS), [saved]);
  const isLoading = saved === undefined && error === undefined;
  const { mutate } = useSWRConfig();
  const navigate = useNavigate();
  const { asOf, addressOf } = useAsOf();
  const mayEdit = usePermission("fleet:write") && asOf === null;
  const bulk = useBulk(locationDefinition, nameOf);
  const state = useListState();
  const figures = useMemo(() => figuresOf(isLoading ? undefined : locations), [isLoading, locations]);
  const { chosen, choose, table } = useNarrowing({
    what: "locations",
    rows: locations,
    figures,
    passes: isOfType,
    specs: filters,
  });
  useFailureToast(error, "Error", "Failed to load locations. Please try again.");
  const hrefOf = ({ id }: LocationRow) => addressOf(viewPath(paths, id));
  const edit = (id: string) => navigate(editPath(paths, id), { state });
  return (
    <>
      <StatCards figures={figures} chosen={chosen} onChoose={choose} />
      {error !== undefined && (
        <RetryNotice
          text="Failed to load locations. Saved locations may be missing below."
          onRetry={() => mutate((key) => isListPath(api, key))}
        />
      )}
      <DataTable
        name="locations"
        label="Locations"
        {...table}
        columns={columns}
        defaultSort={AS_THEY_COME}
        searchPlaceholder="Search locations by name..."
        searchFields={searchFields}
        bulk={bulk && { ...bulk, isSelectable: isSaved }}
        named={useNamedRow(api)}
        asOf={asOf}
        rowName={nameOf}
        rowHref={hrefOf}
        picture={{ name: "Map", of: (found) => <FoundMap found={found} hrefOf={hrefOf} /> }}
        rowActions={({ id }) =>
          // Samples and the past are read-only.
          !mayEdit || findSampleLocation(id)
            ? []
            : [{ text: "Edit Location", icon: <Edit />, isEdit: true, onSelect: () => edit(id) }]
        }
        isLoading={isLoading}
      />
    </>
  );
}

/** No column: samples first, as specified, until the user sorts. */
const AS_THEY_COME = { id: "", desc: false };

const nameOf = ({ name }: LocationRow) => name;

const isSaved = ({ id }: LocationRow) => findSampleLocation(id) === undefined;

const isOfType = ({ type }: LocationRow, wanted: string) => type === wanted;

function figuresOf(locations: readonly LocationRow[] | undefined): readonly Figure[] {
  const count = (wanted: LocationType) => locations?.filter(({ type }) => type === wanted).length;
  return [
    { label: "Total", value: locations?.length },
    { label: "Hubs", value: count("HUB"), tone: "info", filter: "HUB" },
    { label: "Warehouses", value: count("WAREHOUSE"), tone: "success", filter: "WAREHOUSE" },
    { label: "Service Points", value: count("SERVICE_POINT"), tone: "warning", filter: "SERVICE_POINT" },
  ];
}

/** @param found the locations found, on all pages. */
function FoundMap({
  found,
  hrefOf,
}: {
  found: readonly LocationRow[];
  hrefOf: (row: LocationRow) => string;
}) {
  // biome-ignore lint/correctness/useExhaustiveDependencies: addresses change only with the list
  const places = useMemo(
    () =>
      found.flatMap((row): LinkedPlace[] => {
        const { id, name, latitude, longitude } = row;
        if (latitude === null || longitude === null) return [];
        return [{ id, name, latitude, longitude, href: hrefOf(row) }];
      }),
    [found],
  );
  return <PlacesMap label="Locations" places={places} />;
}
