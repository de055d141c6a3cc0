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

/** `2h 5m`, or `45m` below an hour. */
export function formatDuration(minutes: number): string {
  const hours = Math.floor(minutes / 60);
  const rest = minutes % 60;
  return hours === 0 ? `${rest}m` : `${hours}h ${rest}m`;
}
