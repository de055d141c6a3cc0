import type { ComponentType } from "react";
import type { RouteObject } from "react-router";

/** A screen at an address, whose code is loaded when it is first visited. */
export function lazyScreen(path: string, load: () => Promise<ComponentType>) {
  return { path, lazy: async () => ({ Component: await load() }) } satisfies RouteObject;
}
