import { type RecordDefinition, recordTexts } from "@/shared/records";
import { type LocationRow, locationApi, type WireLocation } from "./api";
import { locationPaths } from "./paths";
import { emptyLocation, type Location, locationSchema } from "./schema";
import { locationSections } from "./sections";

/** Locations as their screens show them. */
export const locationDefinition: RecordDefinition<WireLocation, Location, LocationRow> = {
  api: locationApi,
  paths: locationPaths,
  texts: recordTexts("location", { back: "Back to Routes", saveFailed: "Please try again." }),
  sections: locationSections,
  schema: locationSchema,
  empty: emptyLocation,
  heading: ({ location_name }, id) => ({ title: location_name, subtitle: `Location ID ${id}` }),
  cancelEdit: "view",
};
