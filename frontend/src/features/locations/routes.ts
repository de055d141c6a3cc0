import { lazyScreen } from "@/shared/frame/lazyScreen";
import {
  addRecordRoute,
  type DefinedScreen,
  importRoute,
  loadEditPage,
  loadViewPage,
} from "@/shared/records/routes";
import { locationPaths } from "./paths";

const loadDefinition = async () => (await import("./definition")).locationDefinition;

/** The location form's screens, and their import. */
export const locationRoutes = [
  addRecordRoute(locationPaths, loadDefinition),
  importRoute(locationPaths, loadDefinition),
  locationScreen(locationPaths.view, loadViewPage),
  locationScreen(locationPaths.edit, loadEditPage),
];

function locationScreen(path: string, load: () => Promise<DefinedScreen>) {
  return lazyScreen(path, async () => {
    const [{ orSample }, Screen] = await Promise.all([import("./orSample"), load()]);
    return orSample(Screen);
  });
}

/** Brings the list of locations, which stands in a tab among the routes. */
export const loadLocationsTab = async () => (await import("./LocationsTab")).LocationsTab;
