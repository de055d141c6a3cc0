import { lazyScreen } from "@/shared/frame/lazyScreen";
import type { RecordPaths } from "@/shared/records/paths";
import { type DefinedScreen, loadScreen, recordRoutes } from "@/shared/records/routes";

const LIST = "/management/routes";

/** The list is a tab of the Routes screen. */
export const locationPaths: RecordPaths = {
  list: LIST,
  tab: "locations",
  add: "/management/locations/add",
  import: "/management/locations/import",
  view: "/management/locations/:id",
  edit: "/management/locations/:id/edit",
};

const loadDefinition = async () => (await import("./definition")).locationDefinition;

export const locationRoutes = [
  ...recordRoutes(locationPaths, loadDefinition, ["add", "import"]),
  locationScreen(locationPaths.view, loadScreen.view),
  locationScreen(locationPaths.edit, loadScreen.edit),
];

function locationScreen(path: string, load: () => Promise<DefinedScreen>) {
  return lazyScreen(path, async () => {
    const [{ orSample }, Screen] = await Promise.all([import("./SampleLocation"), load()]);
    return orSample(Screen);
  });
}

/** Load the list of locations, a tab of the Routes screen. */
export const loadLocationsTab = async () => (await import("./LocationsTab")).LocationsTab;
