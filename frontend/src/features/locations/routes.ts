import { lazyScreen } from "@/shared/frame/lazyScreen";
import { locationPaths } from "./paths";

/** The location form's screens. */
export const locationRoutes = [
  lazyScreen(locationPaths.add, async () => (await import("./LocationPages")).AddLocationPage),
  lazyScreen(locationPaths.view, async () => (await import("./LocationPages")).ViewLocationPage),
  lazyScreen(locationPaths.edit, async () => (await import("./LocationPages")).EditLocationPage),
];

/** Brings the list of locations, which stands in a tab among the routes. */
export const loadLocationsTab = async () => (await import("./LocationsTab")).LocationsTab;
