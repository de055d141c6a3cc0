import { type ComponentType, createElement } from "react";
import type { RouteObject } from "react-router";
import { routePaths } from "./paths";

/**
 * The routes' screens; each is loaded when it is first visited.
 * @param loadLocationsTab brings the tab beside the routes, which belongs to another feature.
 */
export function routesRoutes(loadLocationsTab: () => Promise<ComponentType>): RouteObject[] {
  return [
    {
      path: routePaths.list,
      lazy: async () => {
        const [{ RoutesPage }, LocationsTab] = await Promise.all([
          import("./RoutesPage"),
          loadLocationsTab(),
        ]);
        return { Component: () => createElement(RoutesPage, { LocationsTab }) };
      },
    },
    {
      path: routePaths.add,
      lazy: async () => ({ Component: (await import("./AddRoutePage")).AddRoutePage }),
    },
    {
      path: routePaths.view,
      lazy: async () => ({ Component: (await import("./RoutePage")).RoutePage }),
    },
  ];
}
