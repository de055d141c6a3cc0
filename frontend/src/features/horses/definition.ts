import { type RecordDefinition, recordTexts } from "@/shared/records";
import { type HorseRow, horseApi, type WireHorse } from "./api";
import { horsePaths } from "./paths";
import { emptyHorse, type Horse, horseSchema } from "./schema";
import { horseSections } from "./sections";

/** Horses as their screens show them. */
export const horseDefinition: RecordDefinition<WireHorse, Horse, HorseRow> = {
  api: horseApi,
  paths: horsePaths,
  texts: recordTexts("horse", {
    // A defect that the specification keeps (section 8): the horse form reuses the driver's titles.
    addFailed: "Failed to add driver",
    updateFailed: "Failed to update driver",
  }),
  sections: horseSections,
  schema: horseSchema,
  empty: emptyHorse,
  heading: ({ identifier }, id) => ({ title: identifier, subtitle: `Horse ID ${id}` }),
  invalidTitles: { metadata: "Invalid metadata JSON" },
};
