import { DateText } from "@/shared/format/DateText";
import type { DataColumn } from "@/shared/table";
import { StatusBadge, type StatusTone } from "@/shared/ui";
import type { LocationRow } from "./api";

const NONE = "None";

const TONES: ReadonlyMap<string, StatusTone> = new Map([
  ["Active", "success"],
  ["Maintenance", "warning"],
]);

/** The list's columns, as the specification has them. */
export const locationColumns: readonly DataColumn<LocationRow>[] = [
  { id: "name", header: "Name", value: (location) => location.location_name },
  { id: "type", header: "Type", value: (location) => location.location_type },
  { id: "country", header: "Country", value: (location) => location.country },
  { id: "city", header: "City", value: (location) => location.city, emptyText: NONE },
  { id: "state", header: "State", value: (location) => location.state, emptyText: NONE },
  { id: "latitude", header: "Latitude", value: (location) => Number(location.lat), amount: true },
  { id: "longitude", header: "Longitude", value: (location) => Number(location.longitude), amount: true },
  {
    id: "capacity",
    header: "Capacity",
    value: (location) => location.capacity,
    emptyText: NONE,
    numeric: true,
  },
  {
    id: "status",
    header: "Status",
    value: (location) => location.status,
    render: ({ status }) => <StatusBadge label={status} tone={TONES.get(status) ?? "neutral"} />,
    emptyText: NONE,
  },
  {
    id: "updated_at",
    header: "Last Updated",
    value: (location) => location.updated_at,
    render: ({ updated_at }) => <DateText date={updated_at.slice(0, 10)} />,
    emptyText: NONE,
    numeric: true,
  },
];

/** What the list's search looks through: the name. */
export function locationSearchFields(location: LocationRow): readonly string[] {
  return [location.location_name];
}
