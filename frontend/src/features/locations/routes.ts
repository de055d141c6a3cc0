import { lazyScreen } from "@/shared/frame/lazyScreen";
import { addRecordRoute } from "@/shared/records/routes";
import { locationPaths } from "./paths";

/** The location form's screens. */
export const locationRoutes = [
  addRecordRoute(locationPaths, async () => (await import("./definition")).locationDefinition),
  lazyScreen(locationPaths.view, async () => (await import("./LocationPages")).ViewLocationPage),
  lazyScreen(locationPaths.edit, async () => (await import("./LocationPages")).EditLocationPage),
];

/** Brings the list of locations, which stands in a tab among the routes. */
export const loadLocationsTab = async () => (await import("./LocationsTab")).LocationsTab;
