import { DateText } from "@/shared/format/DateText";
import type { DataColumn } from "@/shared/table";
import { StatusBadge } from "@/shared/ui";
import type { TrailerRow } from "./api";
import { statusTone } from "./statuses";

/** The list's columns, as the specification has them. */
export const trailerColumns: readonly DataColumn<TrailerRow>[] = [
  { id: "id", header: "Trailer ID", value: (trailer) => trailer.id, numeric: true },
  {
    id: "registrationNumber",
    header: "Registration",
    value: (trailer) => trailer.registrationNumber,
    numeric: true,
  },
  { id: "type", header: "Type", value: (trailer) => trailer.type },
  { id: "capacity", header: "Capacity (tons)", value: (trailer) => trailer.capacity, numeric: true },
  {
    id: "status",
    header: "Status",
    value: (trailer) => trailer.status,
    render: ({ status }) => <StatusBadge label={status} tone={statusTone(status)} />,
  },
  { id: "currentLocation", header: "Location", value: (trailer) => trailer.currentLocation },
  {
    id: "assignedDriver",
    header: "Assigned Driver",
    value: (trailer) => trailer.assignedDriver,
    emptyText: "Not assigned",
  },
  {
    id: "lastMaintenance",
    header: "Last Maintenance",
    value: (trailer) => trailer.lastMaintenance,
    render: ({ lastMaintenance }) => <DateText date={lastMaintenance} />,
    numeric: true,
  },
];

/** What the list's search looks through: registrationNumber, type, location. */
export function trailerSearchFields(trailer: TrailerRow): readonly string[] {
  return [trailer.registrationNumber, trailer.type, trailer.currentLocation];
}
