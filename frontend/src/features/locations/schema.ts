import { z } from "@/shared/config/zod";
import { isNumeric } from "@/shared/form/numberText";
import { optionalText, requiredText } from "@/shared/form/rules";

export const LOCATION_TYPES = ["REGULAR", "HUB", "WAREHOUSE", "SERVICE_POINT"] as const;

/** Degrees from the equator or the prime meridian, either way. */
const degrees = (limit: number, message: string) =>
  optionalText.check(
    z.refine((text) => text !== "" && isNumeric(text) && Math.abs(Number(text)) <= limit, message),
  );

/** The location form and its rules (specification, section 5). */
export const locationSchema = z.object({
  location_name: requiredText("Location name is required"),
  country: requiredText("Country is required"),
  location_type: z.enum(LOCATION_TYPES),
  lat: degrees(90, "Latitude must be between -90 and 90"),
  longitude: degrees(180, "Longitude must be between -180 and 180"),
  city: optionalText,
  state: optionalText,
  postalCode: optionalText,
  /** What the form shows and does not ask for. */
  status: z.string(),
  capacity: z.string(),
  created_at: z.string(),
  updated_at: z.string(),
});

/** A location as its form knows it: every value is text, and empty text means "none". */
export type Location = z.infer<typeof locationSchema>;

export const emptyLocation: Location = {
  location_name: "",
  country: "",
  location_type: "REGULAR",
  lat: "",
  longitude: "",
  city: "",
  state: "",
  postalCode: "",
  status: "",
  capacity: "",
  created_at: "",
  updated_at: "",
};
