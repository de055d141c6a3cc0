import type { SectionSpec } from "@/shared/form";
import { LOCATION_TYPES, type Location } from "./schema";

/** The location form, in the specification's sections. */
export const locationSections: readonly SectionSpec<Location>[] = [
  {
    title: "Basic Information",
    fields: [
      { name: "location_name", label: "Location Name", required: true },
      { name: "country", label: "Country", required: true },
      { name: "location_type", label: "Location Type", choices: LOCATION_TYPES },
    ],
  },
  {
    title: "Coordinates",
    fields: [
      { name: "lat", label: "Latitude", kind: "number", required: true },
      { name: "longitude", label: "Longitude", kind: "number", required: true },
    ],
  },
  {
    title: "Additional Information (Optional)",
    fields: [
      { name: "city", label: "City" },
      { name: "state", label: "State" },
      { name: "postalCode", label: "Postal Code" },
      // Only in sample data so far; the specification's form asks for neither.
      { name: "status", label: "Status", readOnly: true, hideEmpty: true },
      { name: "capacity", label: "Capacity", readOnly: true, hideEmpty: true },
      { name: "created_at", label: "Created At", kind: "timestamp", readOnly: true, hideEmpty: true },
      { name: "updated_at", label: "Updated At", kind: "timestamp", readOnly: true, hideEmpty: true },
    ],
  },
];
