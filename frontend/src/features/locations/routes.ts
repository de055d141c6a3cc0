import type { RouteObject } from "react-router";
import { locationPaths } from "./paths";

/** The location form's screens; they are loaded when one of them is first visited. */
export const locationRoutes: RouteObject[] = [
  {
    path: locationPaths.add,
    lazy: async () => ({ Component: (await import("./LocationPages")).AddLocationPage }),
  },
  {
    path: locationPaths.view,
    lazy: async () => ({ Component: (await import("./LocationPages")).ViewLocationPage }),
  },
  {
    path: locationPaths.edit,
    lazy: async () => ({ Component: (await import("./LocationPages")).EditLocationPage }),
  },
];

/** Brings the list of locations, which stands in a tab among the routes. */
export const loadLocationsTab = async () => (await import("./LocationsTab")).LocationsTab;
