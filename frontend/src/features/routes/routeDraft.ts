import { isNumeric } from "@/shared/form/numberText";
import { total } from "@/shared/format/total";
import type { RouteValues, SegmentValues } from "./routeSchema";

/** Adds up what is typed; what is not a positive number yet counts for nothing. */
export function draftTotals(segments: readonly SegmentValues[]) {
  return {
    distance: total(segments.map(({ estimatedDistance }) => amount(estimatedDistance))),
    // Half minutes are refused when the route is created.
    time: Math.round(total(segments.map(({ estimatedTime }) => amount(estimatedTime)))),
    segments: segments.length,
  };
}

/** Whether there is a start, and every segment has destination, distance and time: then a route can be created. */
export function isComplete({
  startingLocation,
  segments,
}: Pick<RouteValues, "startingLocation" | "segments">): boolean {
  const isSegmentComplete = ({ destination, estimatedDistance, estimatedTime }: SegmentValues) =>
    destination !== "" && amount(estimatedDistance) > 0 && amount(estimatedTime) > 0;
  return startingLocation !== "" && segments.length > 0 && segments.every(isSegmentComplete);
}

/** Where a segment sets out: the previous stop or the start, by name once it is chosen. */
export function originOf(
  { startingLocation, segments }: Pick<RouteValues, "startingLocation" | "segments">,
  index: number,
): string {
  if (index === 0) return startingLocation || "start";
  return segments[index - 1]?.destination || `stop ${index}`;
}

function amount(text: string): number {
  const trimmed = text.trim();
  const number = isNumeric(trimmed) ? Number(trimmed) : 0;
  return Number.isFinite(number) ? Math.max(0, number) : 0;
}
