import type { RouteObject } from "react-router";

/** The subcontractors' screen; it is loaded when it is first visited. */
export const subcontractorsRoutes: RouteObject[] = [
  {
    path: "/management/subcontractors",
    lazy: async () => ({ Component: (await import("./SubcontractorsPage")).SubcontractorsPage }),
  },
];
