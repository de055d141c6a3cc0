import { type ComponentType, createElement } from "react";
import { lazyScreen } from "@/shared/frame/lazyScreen";
import { routePaths } from "./paths";

/**
 * The routes' screens.
 * @param loadLocationsTab brings the tab beside the routes, which belongs to another feature.
 */
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
