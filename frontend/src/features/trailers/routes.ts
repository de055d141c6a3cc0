import type { RouteObject } from "react-router";
import { trailerPaths } from "./paths";

/** The trailer screens; each is loaded when it is first visited. */
export const trailerRoutes: RouteObject[] = [
  {
    path: trailerPaths.list,
    lazy: async () => ({ Component: (await import("./TrailerListPage")).TrailerListPage }),
  },
  {
    path: trailerPaths.add,
    lazy: async () => ({ Component: (await import("./TrailerPages")).AddTrailerPage }),
  },
  {
    path: trailerPaths.view,
    lazy: async () => ({ Component: (await import("./TrailerPages")).ViewTrailerPage }),
  },
  {
    path: trailerPaths.edit,
    lazy: async () => ({ Component: (await import("./TrailerPages")).EditTrailerPage }),
  },
];
