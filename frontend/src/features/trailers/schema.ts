import { z } from "@/shared/config/zod";
import { isNumeric, isOfSensibleSize } from "@/shared/form/numberText";
import type { Trailer } from "./fields";

const optional = z.string().trim();
const number = optional
  .refine(isNumeric, { message: "Must be a number", abort: true })
  .refine(isOfSensibleSize, "Must be a number of a sensible size");

/**
 * The trailer form and its rules (specification, section 5), under the server's own names. Dates are
 * `YYYY-MM-DD`; `data` may hold any text, for what is no JSON object is not sent.
 */
export const trailerSchema = z.object({
  identifier: z.string().trim().min(1, "Identifier is required"),
  trailer_registration_number: optional,
  type: optional,
  status: optional,
  capacity_tons: number,
  axles: number,
  no_of_tyres: number,
  owner_name: optional,
  ownership_type: optional,
  name_of_country: optional,
  purchase_date: optional,
  registered_at: optional,
  description_1: optional,
  description_2: optional,
  description_3: optional,
  description_4: optional,
  description_5: optional,
  data: z.string(),
}) satisfies z.ZodType<Trailer, Trailer>;
