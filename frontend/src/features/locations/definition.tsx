import { useState } from "react";
import type { Wire } from "@/shared/api/wireTypes.gen";
import type { SectionBelow } from "@/shared/form";
import { codeText } from "@/shared/format/codeText";
import { type Place, PointMap, readPlace } from "@/shared/map";
import { recordOf } from "@/shared/records";
import { location } from "@/shared/records/entities.gen";
import { StatusBadge, type StatusTone } from "@/shared/ui";
import { locationPaths } from "./routes";

export type WireLocation = Wire<"LocationRecord">;

export type LocationType = WireLocation["location_type"];

const NONE = "None";

const TONES: ReadonlyMap<string, StatusTone> = new Map([
  ["Active", "success"],
  ["Maintenance", "warning"],
]);

/** Read-only fields, shown where they have a value: set by the server, or by sample data alone. */
const SHOWN = { readOnly: true, hideEmpty: true } as const;

/** Locations (spec, sections 3, 5 and 7). */
export const locationDefinition = recordOf<WireLocation>()(location, {
  paths: locationPaths,
  sections: [
    {
      title: "Basic Information",
      fields: [
        {
          name: "location_name",
          identifies: true,
          aliases: ["Location", "Site", "Site Name", "Place"],
          wire: "name",
          label: "Location Name",
          column: { id: "name", place: 1, header: "Name", wraps: true },
        },
        { name: "country", identifies: true, label: "Country", column: { place: 3 } },
        {
          name: "location_type",
          label: "Location Type",
          textOf: codeText,
          column: { id: "type", place: 2, header: "Type", card: "second" },
        },
      ],
    },
    {
      title: "Coordinates",
      fields: [
        { name: "lat", label: "Latitude", column: { id: "latitude", place: 6, amount: true } },
        { name: "longitude", label: "Longitude", column: { id: "longitude", place: 7, amount: true } },
      ],
      below: LocationMap,
    },
    {
      title: "Additional Information (Optional)",
      fields: [
        {
          name: "city",
          aliases: ["Town"],
          wire: "attributes.city",
          label: "City",
          column: { place: 4, emptyText: NONE, wraps: true },
        },
        {
          name: "state",
          aliases: ["Province", "State/Province"],
          wire: "attributes.state",
          label: "State",
          column: { place: 5, emptyText: NONE, wraps: true },
        },
        { name: "postalCode", wire: "attributes.postalCode", label: "Postal Code" },
        {
          name: "status",
          wire: "attributes.status",
          label: "Status",
          ...SHOWN,
          column: {
            place: 9,
            card: "state",
            emptyText: NONE,
            render: (status) => <StatusBadge label={status} tone={TONES.get(status) ?? "neutral"} />,
          },
        },
        {
          name: "capacity",
          wire: "attributes.capacity",
          label: "Capacity",
          ...SHOWN,
          column: { place: 8, emptyText: NONE, wraps: true },
        },
        { name: "created_at", label: "Created At", hideEmpty: true },
        {
          name: "updated_at",
          label: "Updated At",
          hideEmpty: true,
          column: {
            place: 10,
            header: "Last Updated",
            emptyText: NONE,
            wraps: true,
          },
        },
      ],
    },
  ],
  texts: { back: "Back to Routes", saveFailed: "Please try again." },
  heading: ({ location_name }, id) => ({ title: location_name, subtitle: `Location ID ${id}` }),
  cancelEdit: "view",
});

export type LocationRow = ReturnType<typeof locationDefinition.api.toRow>;

/** The map below the coordinates: typed coordinates move the point, and moving the point sets the coordinates. */
function LocationMap({ values, onChange }: SectionBelow) {
  const place = useLast(readPlace(values.lat ?? "", values.longitude ?? ""));
  if (place === undefined && onChange === undefined) return null;
  const move = ({ latitude, longitude }: Place) =>
    onChange?.({ lat: String(latitude), longitude: String(longitude) });
  return <PointMap name={values.location_name ?? ""} place={place} onMove={onChange && move} />;
}

/** The last valid place: an incomplete number leaves the point unmoved. */
function useLast(place: Place | undefined): Place | undefined {
  const [last, setLast] = useState(place);
  const isSame = place?.latitude === last?.latitude && place?.longitude === last?.longitude;
  if (place !== undefined && !isSame) setLast(place);
  return last;
}
