import { DateText } from "@/shared/format/DateText";
import { formatDistance } from "@/shared/format/distance";
import type { DataColumn } from "@/shared/table";
import { StatusBadge } from "@/shared/ui";
import { formatDuration } from "./measures";
import { STATUS_LOOKS, type TransportRoute } from "./route";

/** The list's columns, as the specification has them. */
export const routeColumns: readonly DataColumn<TransportRoute>[] = [
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

/** What the list's search looks through: the name alone. */
export function routeSearchFields(route: TransportRoute): readonly string[] {
  return [route.name];
}
