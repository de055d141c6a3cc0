import type { DataColumn } from "@/shared/table";
import { StatusBadge } from "@/shared/ui";
import { type Trip, tripTone } from "../trip";
import { textAt } from "./valueAt";

const NONE = "None";

/** The specification's columns (section 2). */
export const tripColumns: readonly DataColumn<Trip>[] = [
  { id: "id", header: "Trip No.", emptyText: NONE },
  { id: "tripName", header: "Trip Name", emptyText: NONE, wraps: true, card: "second" },
  { id: "clientName", header: "Client Name", emptyText: NONE, wraps: true },
  {
    id: "loadingPoint",
    header: "Loading Point",
    render: (trip) => inUnbrokenParts(trip.loadingPoint),
    emptyText: NONE,
    wraps: true,
  },
  {
    id: "deliveryPoint",
    header: "Delivery Point",
    render: (trip) => inUnbrokenParts(trip.deliveryPoint),
    emptyText: NONE,
    wraps: true,
  },
  {
    id: "status",
    header: "Status",
    card: "state",
    render: ({ status }) => <StatusBadge label={status} tone={tripTone(status)} />,
    emptyText: NONE,
  },
  { id: "driver", header: "Driver", emptyText: NONE, wraps: true },
  { id: "vehicle", header: "Vehicle", emptyText: NONE },
];

/** Makes a place wrap only after a comma: never `JNPT, Navi` and `Mumbai`. */
function inUnbrokenParts(place: string): string {
  return place.replaceAll(/(?<!,) /g, "\u00a0");
}

/** The only field searched, whatever the placeholder names (spec, section 2). */
const SEARCHED = "tripName";

export function tripSearchFields(trip: Trip): readonly string[] {
  return [textAt(trip, SEARCHED)];
}
