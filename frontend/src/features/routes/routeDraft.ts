import { z } from "@/shared/config/zod";
import type { FieldSpec } from "@/shared/form/fields";
import { isNumeric } from "@/shared/form/numberText";
import { optionalText, requiredText } from "@/shared/form/rules";

/** The choices for start and destinations. */
const PLACES = [
  "Ahmedabad",
  "Amritsar",
  "Bengaluru",
  "Bhubaneswar",
  "Chennai",
  "Coimbatore",
  "Delhi",
  "Hyderabad",
  "Indore",
  "Jaipur",
  "Kochi",
  "Kolkata",
  "Lucknow",
  "Mumbai",
  "Nagpur",
  "Pune",
  "Surat",
  "Vijayawada",
  "Visakhapatnam",
] as const;

export const ROUTE_FIELDS = {
  routeName: { name: "routeName", label: "Route Name", required: "Route name is required" },
  startingLocation: {
    name: "startingLocation",
    label: "Starting Location",
    required: "Starting location is required",
    choices: PLACES,
    prompt: "Select starting location",
    checkedWhenLeft: true,
  },
  description: { name: "description", label: "Description", kind: "multiline", wide: true },
} as const satisfies Record<string, FieldSpec>;

export const SEGMENT_FIELDS = {
  destination: {
    name: "destination",
    label: "Destination",
    required: "Destination is required",
    choices: PLACES,
    prompt: "Select destination",
    checkedWhenLeft: true,
  },
  estimatedDistance: {
    name: "estimatedDistance",
    label: "Distance (km)",
    required: "Distance must be greater than 0",
    step: 0.1,
    checkedWhenLeft: true,
  },
  estimatedTime: {
    name: "estimatedTime",
    label: "Time (minutes)",
    required: "Time must be at least 1 minute",
    step: 1,
    checkedWhenLeft: true,
  },
  notes: { name: "notes", label: "Notes", kind: "multiline" },
} as const satisfies Record<string, FieldSpec>;

const atLeast = ({ step: least, required: message }: { step: number; required: string }) =>
  optionalText.check(
    z.refine((text) => text !== "" && isNumeric(text) && Number(text) >= least, { message, abort: true }),
  );

const segmentSchema = z.object({
  destination: requiredText(SEGMENT_FIELDS.destination.required),
  estimatedDistance: atLeast(SEGMENT_FIELDS.estimatedDistance),
  estimatedTime: atLeast(SEGMENT_FIELDS.estimatedTime).check(
    z.refine((text) => Number.isInteger(Number(text)), "Time must be in whole minutes"),
  ),
  notes: optionalText,
});

/** The rules of the Add Route form (spec, section 5). */
export const routeSchema = z.object({
  routeName: requiredText(ROUTE_FIELDS.routeName.required),
  startingLocation: requiredText(ROUTE_FIELDS.startingLocation.required),
  description: optionalText,
  segments: z.array(segmentSchema).check(z.minLength(1, "At least one route segment is required")),
});

/** The form's values, all of them text. */
export type RouteValues = z.infer<typeof routeSchema>;
export type SegmentValues = RouteValues["segments"][number];

export const emptySegment: SegmentValues = {
  destination: "",
  estimatedDistance: "",
  estimatedTime: "",
  notes: "",
};

export const emptyRoute: RouteValues = {
  routeName: "",
  startingLocation: "",
  description: "",
  segments: [emptySegment],
};

/** Whether start and all segments are filled in, so that the route can be created. */
export function isComplete({
  startingLocation,
  segments,
}: Pick<RouteValues, "startingLocation" | "segments">): boolean {
  const isSegmentComplete = ({ destination, estimatedDistance, estimatedTime }: SegmentValues) =>
    destination !== "" && amount(estimatedDistance) > 0 && amount(estimatedTime) > 0;
  return startingLocation !== "" && segments.length > 0 && segments.every(isSegmentComplete);
}

/** A typed number; 0 if it is invalid or negative. */
export function amount(text: string): number {
  const trimmed = text.trim();
  const number = isNumeric(trimmed) ? Number(trimmed) : 0;
  return Number.isFinite(number) ? Math.max(0, number) : 0;
}
