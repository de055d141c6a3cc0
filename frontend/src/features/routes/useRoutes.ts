import { useMemo } from "react";
import type { TransportRoute } from "./route";
import { sampleRoutes } from "./sampleRoutes";

export interface RoutesQuery {
  /** Undefined until the first answer. */
  routes: readonly TransportRoute[] | undefined;
  /** Set while the last attempt failed. */
  error: unknown;
}

export interface RouteQuery {
  /** Undefined until the first answer; null where there is no such route. */
  route: TransportRoute | null | undefined;
  /** Set while the last attempt failed. */
  error: unknown;
}

/** All routes; of the shape that a list from the server has. */
export function useRoutes(): RoutesQuery {
  return SAMPLES;
}

/** One route. */
export function useRoute(id: string): RouteQuery {
  const { routes, error } = useRoutes();
  return useMemo(
    () => ({ route: routes && (routes.find((route) => route.id === id) ?? null), error }),
    [routes, error, id],
  );
}

const SAMPLES: RoutesQuery = { routes: sampleRoutes, error: undefined };
