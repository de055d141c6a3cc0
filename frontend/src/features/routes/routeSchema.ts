import { z } from "@/shared/config/zod";
import type { FieldSpec } from "@/shared/form/fields";
import { isNumeric } from "@/shared/form/numberText";
import { optionalText, requiredText } from "@/shared/form/rules";
import { PLACES } from "./places";

/** What is asked about a route, and about each of its segments. */
export const ROUTE_FIELDS = {
  routeName: { label: "Route Name", required: "Route name is required" },
  startingLocation: {
    label: "Starting Location",
    required: "Starting location is required",
    choices: PLACES,
    prompt: "Select starting location",
    checkedWhenLeft: true,
  },
  description: { label: "Description", kind: "multiline", wide: true },
} as const satisfies Record<string, Omit<FieldSpec, "name">>;

export const SEGMENT_FIELDS = {
  destination: {
    label: "Destination",
    required: "Destination is required",
    choices: PLACES,
    prompt: "Select destination",
    checkedWhenLeft: true,
  },
  estimatedDistance: {
    label: "Distance (km)",
    required: "Distance must be greater than 0",
    step: 0.1,
    checkedWhenLeft: true,
  },
  estimatedTime: {
    label: "Time (minutes)",
    required: "Time must be at least 1 minute",
    step: 1,
    checkedWhenLeft: true,
  },
  notes: { label: "Notes", kind: "multiline" },
} as const satisfies Record<string, Omit<FieldSpec, "name">>;

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

/** The Add Route form and its rules (product.md: validation). */
export const routeSchema = z.object({
  routeName: requiredText(ROUTE_FIELDS.routeName.required),
  startingLocation: requiredText(ROUTE_FIELDS.startingLocation.required),
  description: optionalText,
  segments: z.array(segmentSchema).check(z.minLength(1, "At least one route segment is required")),
});

/** A route as its form knows it: every value is text. */
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
