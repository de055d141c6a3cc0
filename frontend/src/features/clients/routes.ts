import type { RouteObject } from "react-router";

/** The clients' screen; it is loaded when it is first visited. */
export const clientsRoutes: RouteObject[] = [
  {
    path: "/management/clients",
    lazy: async () => ({ Component: (await import("./ClientsPage")).ClientsPage }),
  },
];
