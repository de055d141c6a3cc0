import { lazyScreen } from "@/shared/frame/lazyScreen";
import { addRecordRoute, importRoute } from "@/shared/records/routes";
import { locationPaths } from "./paths";

const loadDefinition = async () => (await import("./definition")).locationDefinition;

/** The location form's screens, and their import. */
export const locationRoutes = [
  addRecordRoute(locationPaths, loadDefinition),
  importRoute(locationPaths, loadDefinition),
  lazyScreen(locationPaths.view, async () => (await import("./LocationPages")).ViewLocationPage),
  lazyScreen(locationPaths.edit, async () => (await import("./LocationPages")).EditLocationPage),
];

/** Brings the list of locations, which stands in a tab among the routes. */
export const loadLocationsTab = async () => (await import("./LocationsTab")).LocationsTab;
