import type { Wire } from "@/shared/api/wireTypes.gen";
import { isNumeric } from "@/shared/form/numberText";
import { DateText } from "@/shared/format/DateText";
import { recordOf } from "@/shared/records";
import { StatusBadge, type StatusTone } from "@/shared/ui";
import { LocationMap } from "./LocationMap";
import { locationPaths } from "./paths";

export type WireLocation = Wire<"LocationRecord">;

export type LocationType = WireLocation["location_type"];

export const LOCATION_TYPES: readonly LocationType[] = ["REGULAR", "HUB", "WAREHOUSE", "SERVICE_POINT"];

const NONE = "None";

const TONES: ReadonlyMap<string, StatusTone> = new Map([
  ["Active", "success"],
  ["Maintenance", "warning"],
]);

/** Degrees from the equator or the prime meridian, either way. */
const degrees = (limit: number, message: string) =>
  ({
    kind: "number",
    required: message,
    rules: [{ holds: (text: string) => isNumeric(text) && Math.abs(Number(text)) <= limit, message }],
  }) as const;

/** What the server adds, and what is in sample data alone so far: shown where there is any, never asked for. */
const SHOWN = { readOnly: true, hideEmpty: true } as const;

/** Locations (specification, sections 3, 5 and 7). */
export const locationDefinition = recordOf<WireLocation>()({
  noun: "location",
  path: "/api/locations",
  paths: locationPaths,
  sections: [
    {
      title: "Basic Information",
      fields: [
        {
          name: "location_name",
          wire: "name",
          label: "Location Name",
          required: "Location name is required",
          column: { id: "name", place: 1, header: "Name", wraps: true },
          searched: true,
        },
        {
          name: "country",
          label: "Country",
          required: "Country is required",
          column: { place: 3 },
          filter: "value",
        },
        {
          name: "location_type",
          label: "Location Type",
          choices: LOCATION_TYPES,
          column: { id: "type", place: 2, header: "Type", card: "second" },
          filter: "value",
        },
      ],
    },
    {
      title: "Coordinates",
      fields: [
        {
          name: "lat",
          label: "Latitude",
          ...degrees(90, "Latitude must be between -90 and 90"),
          column: { id: "latitude", place: 6, amount: true },
        },
        {
          name: "longitude",
          label: "Longitude",
          ...degrees(180, "Longitude must be between -180 and 180"),
          column: { id: "longitude", place: 7, amount: true },
        },
      ],
      below: LocationMap,
    },
    {
      title: "Additional Information (Optional)",
      fields: [
        {
          name: "city",
          wire: "attributes.city",
          label: "City",
          column: { place: 4, emptyText: NONE, wraps: true },
        },
        {
          name: "state",
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
        { name: "created_at", label: "Created At", kind: "timestamp", ...SHOWN },
        {
          name: "updated_at",
          label: "Updated At",
          kind: "timestamp",
          ...SHOWN,
          column: {
            place: 10,
            header: "Last Updated",
            emptyText: NONE,
            render: (moment) => <DateText date={moment.slice(0, 10)} />,
          },
        },
      ],
    },
  ],
  texts: { back: "Back to Routes", saveFailed: "Please try again." },
  heading: ({ location_name }, id) => ({ title: location_name, subtitle: `Location ID ${id}` }),
  cancelEdit: "view",
});

/** What a list knows of a location. */
export type LocationRow = ReturnType<typeof locationDefinition.api.toRow>;
