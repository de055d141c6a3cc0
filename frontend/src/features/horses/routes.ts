import type { RouteObject } from "react-router";
import { horsePaths } from "./paths";

/** The horse screens; each is loaded when it is first visited. */
export const horseRoutes: RouteObject[] = [
  {
    path: horsePaths.list,
    lazy: async () => ({ Component: (await import("./HorseListPage")).HorseListPage }),
  },
  { path: horsePaths.add, lazy: async () => ({ Component: (await import("./HorsePages")).AddHorsePage }) },
  { path: horsePaths.view, lazy: async () => ({ Component: (await import("./HorsePages")).ViewHorsePage }) },
  { path: horsePaths.edit, lazy: async () => ({ Component: (await import("./HorsePages")).EditHorsePage }) },
];
