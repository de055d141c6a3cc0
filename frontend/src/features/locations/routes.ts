import { lazyScreen } from "@/shared/frame/lazyScreen";
import { type DefinedScreen, loadScreen, recordRoutes } from "@/shared/records/routes";
import { locationPaths } from "./paths";

const loadDefinition = async () => (await import("./definition")).locationDefinition;

/** The location form's screens, and their import. */
export const locationRoutes = [
  ...recordRoutes(locationPaths, loadDefinition, ["add", "import"]),
  locationScreen(locationPaths.view, loadScreen.view),
  locationScreen(locationPaths.edit, loadScreen.edit),
];

function locationScreen(path: string, load: () => Promise<DefinedScreen>) {
  return lazyScreen(path, async () => {
    const [{ orSample }, Screen] = await Promise.all([import("./orSample"), load()]);
    return orSample(Screen);
  });
}

/** Brings the list of locations, which stands in a tab among the routes. */
export const loadLocationsTab = async () => (await import("./LocationsTab")).LocationsTab;
