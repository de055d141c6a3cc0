import type { RouteObject } from "react-router";
import { driverPaths } from "./paths";

/** The driver screens; each is loaded when it is first visited. */
export const driverRoutes: RouteObject[] = [
  {
    path: driverPaths.list,
    lazy: async () => ({ Component: (await import("./DriverListPage")).DriverListPage }),
  },
  { path: driverPaths.add, lazy: async () => ({ Component: (await import("./DriverPages")).AddDriverPage }) },
  {
    path: driverPaths.view,
    lazy: async () => ({ Component: (await import("./DriverPages")).ViewDriverPage }),
  },
  {
    path: driverPaths.edit,
    lazy: async () => ({ Component: (await import("./DriverPages")).EditDriverPage }),
  },
];
