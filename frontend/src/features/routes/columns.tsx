import { DateText } from "@/shared/format/DateText";
import type { DataColumn } from "@/shared/table";
import { StatusBadge } from "@/shared/ui";
import { formatDistance, formatDuration } from "./measures";
import { STATUS_LOOKS, type TransportRoute } from "./route";

/** The list's columns, as the specification has them. */
export const routeColumns: readonly DataColumn<TransportRoute>[] = [
  { id: "name", header: "Name", value: (route) => route.name },
  { id: "startLocation", header: "Start", value: (route) => route.startLocation },
  { id: "endLocation", header: "End", value: (route) => route.endLocation },
  { id: "stops", header: "Stops", value: (route) => route.stops, amount: true },
  {
    id: "totalDistance",
    header: "Distance",
    value: (route) => route.totalDistance,
    render: ({ totalDistance }) => formatDistance(totalDistance),
    amount: true,
  },
  {
    id: "estimatedTime",
    header: "Est. Time",
    value: (route) => route.estimatedTime,
    render: ({ estimatedTime }) => formatDuration(estimatedTime),
    amount: true,
  },
  {
    id: "status",
    header: "Status",
    value: (route) => route.status,
    render: ({ status }) => <StatusBadge {...STATUS_LOOKS[status]} />,
  },
  {
    id: "lastUsed",
    header: "Last Used",
    value: (route) => route.lastUsed,
    render: ({ lastUsed }) => lastUsed && <DateText date={lastUsed} />,
    emptyText: "None",
  },
];

/** What the list's search looks through: the name alone. */
export function routeSearchFields(route: TransportRoute): readonly string[] {
  return [route.name];
}
