import type { ComponentType } from "react";
import type { RouteObject } from "react-router";

/** The route of a screen whose code is loaded on the first visit. */
export function lazyScreen(path: string, load: () => Promise<ComponentType>) {
  return { path, lazy: async () => ({ Component: await load() }) } satisfies RouteObject;
}
