import { total } from "@/shared/format/total";
import type { StatusTone } from "@/shared/ui";

export type RouteStatus = "active" | "inactive" | "maintenance";

/** One part of a route, from a place to the next stop. Distances are kilometres, times minutes. */
export interface RouteSegment {
  from: string;
  to: string;
  distance: number;
  estimatedTime: number;
  /** Null while it has not been driven. */
  actualTime: number | null;
  roadType: string;
}

/** A route as its own screen shows it (product.md: records). Days are `YYYY-MM-DD`. */
export interface TransportRoute {
  id: string;
  name: string;
  description: string;
  startLocation: string;
  endLocation: string;
  /** As many as there are segments: the last stop is the end, as on the Add Route screen. */
  stops: number;
  totalDistance: number;
  estimatedTime: number;
  status: RouteStatus;
  createdDate: string;
  /** Null while it has not been used. */
  lastUsed: string | null;
  /** Litres of diesel from start to end. */
  fuelConsumption: number;
  segments: readonly RouteSegment[];
}

/** How a status is written and coloured. */
export const STATUS_LOOKS: Readonly<Record<RouteStatus, { label: string; tone: StatusTone }>> = {
  active: { label: "Active", tone: "success" },
  inactive: { label: "Inactive", tone: "neutral" },
  maintenance: { label: "Maintenance", tone: "warning" },
};

export interface RouteFigures {
  total: number;
  active: number;
  /** Different places where routes end. */
  destinations: number;
  /** Estimated time in percent of the time it took, over all segments driven; null before the first. */
  efficiency: number | null;
}

/** The figures on the list's cards. */
export function routeFigures(routes: readonly TransportRoute[]): RouteFigures {
  const driven = routes.flatMap(({ segments }) => segments).filter(({ actualTime }) => actualTime !== null);
  const estimated = total(driven.map(({ estimatedTime }) => estimatedTime));
  const actual = total(driven.map(({ actualTime }) => actualTime ?? 0));
  return {
    total: routes.length,
    active: routes.filter(({ status }) => status === "active").length,
    destinations: new Set(routes.map(({ endLocation }) => endLocation)).size,
    efficiency: actual === 0 ? null : Math.round((estimated / actual) * 100),
  };
}

/** A place along a route, and what it takes to get there from the start. */
export interface Waypoint {
  place: string;
  distance: number;
  estimatedTime: number;
  /** Null as soon as one segment on the way has not been driven. */
  actualTime: number | null;
}

/** The start and every stop, with distance and time since the start. */
export function waypoints({ startLocation, segments }: TransportRoute): readonly Waypoint[] {
  const places: Waypoint[] = [{ place: startLocation, distance: 0, estimatedTime: 0, actualTime: 0 }];
  let last = places[0] as Waypoint;
  for (const { to, distance, estimatedTime, actualTime } of segments) {
    last = {
      place: to,
      distance: last.distance + distance,
      estimatedTime: last.estimatedTime + estimatedTime,
      actualTime: last.actualTime === null || actualTime === null ? null : last.actualTime + actualTime,
    };
    places.push(last);
  }
  return places;
}
