import { z } from "@/shared/config/zod";
import { isNumeric, isOfSensibleSize } from "@/shared/form/numberText";
import { optionalText, requiredText } from "@/shared/form/rules";
import type { Trailer } from "./fields";

const number = optionalText.check(
  z.refine(isNumeric, { message: "Must be a number", abort: true }),
  z.refine(isOfSensibleSize, "Must be a number of a sensible size"),
);

/**
 * The trailer form and its rules (specification, section 5), under the server's own names. Dates are
 * `YYYY-MM-DD`; `data` may hold any text, for what is no JSON object is not sent.
 */
export const trailerSchema = z.object({
  identifier: requiredText("Identifier is required"),
  trailer_registration_number: optionalText,
  type: optionalText,
  status: optionalText,
  capacity_tons: number,
  axles: number,
  no_of_tyres: number,
  owner_name: optionalText,
  ownership_type: optionalText,
  name_of_country: optionalText,
  purchase_date: optionalText,
  registered_at: optionalText,
  description_1: optionalText,
  description_2: optionalText,
  description_3: optionalText,
  description_4: optionalText,
  description_5: optionalText,
  data: z.string(),
}) satisfies z.ZodMiniType<Trailer, Trailer>;
