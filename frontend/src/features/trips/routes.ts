import type { RouteObject } from "react-router";

/** The trips list; loaded when it is first visited. */
export const tripListRoutes: RouteObject[] = [
  { path: "/", lazy: async () => ({ Component: (await import("./list/TripListPage")).TripListPage }) },
];
