import { total } from "@/shared/format/total";
import type { StatusTone } from "@/shared/ui";

export type RouteStatus = "active" | "inactive" | "maintenance";

/** A part of a route from one stop to the next. Distances are in kilometres, times in minutes. */
export interface RouteSegment {
  from: string;
  to: string;
  distance: number;
  estimatedTime: number;
  /** Null until the segment is driven. */
  actualTime: number | null;
  roadType: string;
}

/** A route (spec, section 3). Days are `YYYY-MM-DD`. */
export interface TransportRoute {
  id: string;
  name: string;
  description: string;
  startLocation: string;
  endLocation: string;
  /** The number of segments: the end counts as a stop, as on the Add Route screen. */
  stops: number;
  totalDistance: number;
  estimatedTime: number;
  status: RouteStatus;
  createdDate: string;
  /** Null until the route is used. */
  lastUsed: string | null;
  /** Litres of diesel from start to end. */
  fuelConsumption: number;
  segments: readonly RouteSegment[];
}

export const STATUS_LOOKS: Readonly<Record<RouteStatus, { label: string; tone: StatusTone }>> = {
  active: { label: "Active", tone: "success" },
  inactive: { label: "Inactive", tone: "neutral" },
  maintenance: { label: "Maintenance", tone: "warning" },
};

/**
 * The figures of the list's cards. Efficiency is the estimated time in per cent of the actual time of all segments
 * driven, or null if none was.
 */
export function routeFigures(routes: readonly TransportRoute[]) {
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

/** A place along a route, with distance and time from the start. */
export interface Waypoint {
  place: string;
  distance: number;
  estimatedTime: number;
  /** Null if a segment before it has not been driven. */
  actualTime: number | null;
}

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

/** `2h 5m`, or `45m` below an hour. */
export function formatDuration(minutes: number): string {
  const hours = Math.floor(minutes / 60);
  const rest = minutes % 60;
  return hours === 0 ? `${rest}m` : `${hours}h ${rest}m`;
}
