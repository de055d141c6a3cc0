import { z } from "@/shared/config/zod";
import { isNumeric } from "@/shared/form/numberText";
import { optionalText, requiredText } from "@/shared/form/rules";

const atLeast = (least: number, message: string) =>
  optionalText.check(
    z.refine((text) => text !== "" && isNumeric(text) && Number(text) >= least, { message, abort: true }),
  );

const segmentSchema = z.object({
  destination: requiredText("Destination is required"),
  estimatedDistance: atLeast(0.1, "Distance must be greater than 0"),
  estimatedTime: atLeast(1, "Time must be at least 1 minute").check(
    z.refine((text) => Number.isInteger(Number(text)), "Time must be in whole minutes"),
  ),
  notes: optionalText,
});

export const NAME_REQUIRED = "Route name is required";

/** The Add Route form and its rules (specification, section 5). */
export const routeSchema = z.object({
  routeName: requiredText(NAME_REQUIRED),
  startingLocation: requiredText("Starting location is required"),
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
