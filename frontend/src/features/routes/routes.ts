import { type ComponentType, createElement } from "react";
import { generatePath } from "react-router";
import { lazyScreen } from "@/shared/frame/lazyScreen";

export const routePaths = {
  list: "/management/routes",
  add: "/management/routes/add",
  view: "/management/routes/:id",
} as const;

export function routePath(id: string): string {
  return generatePath(routePaths.view, { id });
}

/** @param loadLocationsTab loads the tab of locations, which belongs to another feature. */
export function routesRoutes(loadLocationsTab: () => Promise<ComponentType>) {
  return [
    lazyScreen(routePaths.list, async () => {
      const [{ RoutesPage }, LocationsTab] = await Promise.all([import("./RoutesPage"), loadLocationsTab()]);
      return () => createElement(RoutesPage, { LocationsTab });
    }),
    lazyScreen(routePaths.add, async () => (await import("./AddRoutePage")).AddRoutePage),
    lazyScreen(routePaths.view, async () => (await import("./RoutePage")).RoutePage),
  ];
}
