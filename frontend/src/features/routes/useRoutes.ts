import type { Query } from "@/shared/ui";
import type { TransportRoute } from "./route";
import { sampleRoutes } from "./sampleRoutes";

export function useRoutes(): Query<readonly TransportRoute[]> {
  return { data: sampleRoutes, error: undefined };
}

/** A route; null for an unknown id. */
export function useRoute(id: string): Query<TransportRoute | null> {
  const { data, error } = useRoutes();
  return { data: data && (data.find((route) => route.id === id) ?? null), error };
}
