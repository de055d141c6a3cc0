import type { FieldSpec, SectionSpec } from "@/shared/form";
import { isData } from "./api";
import type { Trailer } from "./fields";
import { TRAILER_STATUSES } from "./statuses";

const TYPES = [
  "LOW_BED",
  "FLATBED",
  "CONTAINER",
  "TANKER",
  "REFRIGERATED",
  "SIDE_WALL",
  "TIPPER",
  "CAR_CARRIER",
] as const;

/** The trailer form. The specification names no sections for it: these are ours. */
export const trailerSections: readonly SectionSpec<Trailer>[] = [
  {
    title: "Identification",
    fields: [
      { name: "identifier", label: "Identifier", required: true },
      { name: "trailer_registration_number", label: "Registration Number" },
      { name: "type", label: "Type", suggestions: TYPES },
      { name: "status", label: "Status", suggestions: TRAILER_STATUSES },
    ],
  },
  {
    title: "Technical",
    fields: [
      { name: "capacity_tons", label: "Capacity (tons)", kind: "number" },
      { name: "axles", label: "Axles", kind: "number" },
      { name: "no_of_tyres", label: "Number of Tyres", kind: "number" },
    ],
  },
  {
    title: "Ownership & Registration",
    fields: [
      { name: "owner_name", label: "Owner Name" },
      { name: "ownership_type", label: "Ownership Type" },
      { name: "name_of_country", label: "Country" },
      { name: "purchase_date", label: "Purchase Date", kind: "date" },
      { name: "registered_at", label: "Registered At", kind: "date" },
    ],
  },
  {
    title: "Descriptions",
    fields: ([1, 2, 3, 4, 5] as const).map(
      (number): FieldSpec<Trailer> => ({
        name: `description_${number}`,
        label: `Description ${number}`,
        kind: "multiline",
        wide: true,
      }),
    ),
  },
  {
    title: "Additional Data",
    fields: [
      {
        name: "data",
        label: "Data (JSON)",
        kind: "json",
        wide: true,
        hint: (text) =>
          isData(text)
            ? undefined
            : "This cannot be saved as a JSON object. Saving keeps the previous value.",
      },
    ],
  },
];
