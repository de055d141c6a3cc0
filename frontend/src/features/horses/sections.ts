import type { SectionSpec } from "@/shared/form";
import type { Horse } from "./schema";

/** The horse form, in the specification's sections. */
export const horseSections: readonly SectionSpec<Horse>[] = [
  {
    title: "Identification",
    fields: [
      {
        name: "id",
        label: "ID",
        fixed: true,
        hint: (id) => (id.trim() === "" ? "Leave empty to have one given." : undefined),
      },
      { name: "identifier", label: "Identifier", required: true },
    ],
  },
  {
    title: "Technical / Registration",
    fields: [
      { name: "chassis_number", label: "Chassis Number", required: true },
      { name: "engine_number", label: "Engine Number", required: true },
    ],
  },
  {
    title: "Ownership & Metadata",
    fields: [
      { name: "owner", label: "Owner" },
      { name: "hired", label: "Hired", suggestions: ["Yes", "No"] },
      { name: "description", label: "Description", kind: "multiline", wide: true },
      { name: "metadata", label: "Metadata (JSON)", kind: "json", wide: true },
    ],
  },
  {
    title: "Timestamps",
    fields: [
      { name: "created_at", label: "Created At", kind: "timestamp", readOnly: true },
      { name: "updated_at", label: "Updated At", kind: "timestamp", readOnly: true },
    ],
  },
];
