import type { RouteObject } from "react-router";

export const fleetRoutes: RouteObject[] = [
  { path: "/fleets", lazy: async () => ({ Component: (await import("./FleetPage")).FleetPage }) },
];
