import { z } from "@/shared/config/zod";
import { parseJson } from "@/shared/form/jsonText";
import { optionalText, requiredText } from "@/shared/form/rules";

/** The horse form and its rules (specification, section 5), under the server's own names. */
export const horseSchema = z.object({
  /** When it is left empty, the server gives one. */
  id: optionalText,
  identifier: requiredText("Identifier is required"),
  chassis_number: requiredText("Chassis number is required"),
  engine_number: requiredText("Engine number is required"),
  owner: optionalText,
  hired: optionalText,
  description: optionalText,
  /** JSON text; whether it is an object, the server decides. */
  metadata: optionalText.check(
    z.refine(
      (text) => text === "" || parseJson(text) !== undefined,
      "Please provide valid JSON in the Metadata field.",
    ),
  ),
  created_at: z.string(),
  updated_at: z.string(),
});

/** A horse as its form knows it: every value is text, and empty text means "none". */
export type Horse = z.infer<typeof horseSchema>;

export const emptyHorse: Horse = {
  id: "",
  identifier: "",
  chassis_number: "",
  engine_number: "",
  owner: "",
  hired: "",
  description: "",
  metadata: "",
  created_at: "",
  updated_at: "",
};
