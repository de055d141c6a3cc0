import type { RouteObject } from "react-router";
import { ADD, EDIT, LIST, VIEW } from "./paths";

/** The driver screens; each is loaded when it is first visited. */
export const driverRoutes: RouteObject[] = [
  { path: LIST, lazy: async () => ({ Component: (await import("./DriverListPage")).DriverListPage }) },
  { path: ADD, lazy: async () => ({ Component: (await import("./AddDriverPage")).AddDriverPage }) },
  { path: VIEW, lazy: async () => ({ Component: (await import("./DriverPage")).ViewDriverPage }) },
  { path: EDIT, lazy: async () => ({ Component: (await import("./DriverPage")).EditDriverPage }) },
];
