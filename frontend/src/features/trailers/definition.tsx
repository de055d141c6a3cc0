import { type RecordDefinition, recordTexts } from "@/shared/records";
import { StatusBadge } from "@/shared/ui";
import { type TrailerRow, trailerApi, type WireTrailer } from "./api";
import { emptyTrailer, type Trailer } from "./fields";
import { trailerPaths } from "./paths";
import { trailerSchema } from "./schema";
import { trailerSections } from "./sections";
import { statusTone } from "./statuses";

/** Trailers as their screens show them. */
export const trailerDefinition: RecordDefinition<WireTrailer, Trailer, TrailerRow> = {
  api: trailerApi,
  paths: trailerPaths,
  texts: recordTexts("trailer", {
    loadFailed: { title: "Trailer not found", message: "Failed to load trailer details" },
    added: { title: "Trailer Added", message: "Trailer added successfully." },
    updated: { title: "Trailer Updated", message: "Trailer updated successfully." },
    saveFailed: "Please try again.",
  }),
  sections: trailerSections,
  schema: trailerSchema,
  empty: emptyTrailer,
  heading: ({ identifier, status }, id) => ({
    title: identifier || id,
    subtitle: `Trailer ID ${id}`,
    badge: status !== "" && <StatusBadge label={status} tone={statusTone(status)} />,
  }),
  cancelEdit: "view",
};
