import type { RouteObject } from "react-router";

export const managementRoutes: RouteObject[] = [
  {
    path: "management",
    lazy: async () => ({ Component: (await import("./ManagementPage")).ManagementPage }),
  },
];
