import type { Wire } from "@/shared/api/wireTypes.gen";
import { assignmentsTab } from "@/shared/assignments/tab";
import { formatJson, parseJson } from "@/shared/form/jsonText";
import { recordOf } from "@/shared/records";
import { horse } from "@/shared/records/entities.gen";
import { TruckIcon } from "@/shared/ui";
import { horsePaths } from "./routes";

/** Horses (spec, sections 3, 5 and 7). */
export const horseDefinition = recordOf<Wire<"HorseRecord">>()(horse, {
  paths: horsePaths,
  sections: [
    {
      title: "Identification",
      fields: [
        {
          name: "id",
          label: "ID",
          fixed: true,
          hint: (id) => (id.trim() === "" ? "Leave blank to generate one." : undefined),
          column: { place: 1 },
        },
        {
          name: "identifier",
          identifies: true,
          aliases: [
            "Horse Number",
            "Vehicle Number",
            "Truck Number",
            "Fleet Number",
            "Unit Number",
            "Registration Number",
          ],
          label: "Identifier",
          column: { place: 5, wraps: true, card: "second" },
        },
      ],
    },
    {
      title: "Technical / Registration",
      fields: [
        {
          name: "chassis_number",
          identifies: true,
          aliases: ["VIN", "VIN Number"],
          label: "Chassis Number",
          column: { place: 2 },
        },
        { name: "engine_number", identifies: true, label: "Engine Number", column: { place: 3 } },
      ],
    },
    {
      title: "Ownership & Metadata",
      fields: [
        { name: "owner", aliases: ["Owner Name"], label: "Owner", column: { place: 6, wraps: true } },
        { name: "hired", aliases: ["On Hire"], label: "Hired", column: { place: 4 } },
        {
          name: "description",
          aliases: ["Notes", "Remarks"],
          label: "Description",
          wide: true,
          column: { place: 7, wraps: true },
        },
        {
          name: "metadata",
          label: "Metadata (JSON)",
          wide: true,
          // The server checks that it is an object.
          rules: [
            {
              holds: (text) => text.trim() === "" || parseJson(text) !== undefined,
              message: "Please provide valid JSON in the Metadata field.",
            },
          ],
          invalidTitle: "Invalid metadata JSON",
          // An empty object is shown as empty text.
          read: (metadata) => (Object.keys(metadata ?? {}).length === 0 ? "" : formatJson(metadata)),
          write: (text) => (text.trim() === "" ? {} : parseJson(text)),
        },
      ],
    },
    {
      title: "Timestamps",
      // The specification sends them, although the server sets them.
      fields: [
        { name: "created_at", label: "Created At", sent: true, column: { place: 8, wraps: true } },
        { name: "updated_at", label: "Updated At", sent: true, column: { place: 9, wraps: true } },
      ],
    },
  ],
  texts: {
    // As specified (section 8): the horse form reuses the driver's titles.
    addFailed: "Failed to add driver",
    updateFailed: "Failed to update driver",
  },
  heading: ({ identifier }, id) => ({ title: identifier, subtitle: `Horse ID ${id}` }),
  list: {
    title: "Horse Management",
    addLabel: "Add New Horse",
    texts: {
      deleted: () => ({ title: "Horse deleted" }),
      deleteFailed: { title: "Error", message: "Failed to delete horse. Please try again." },
    },
    defaultSort: { id: "id", desc: false },
    searchPlaceholder: "Search horses by identifier, chassis, or engine...",
    nameOf: ({ identifier }) => identifier,
    // Fixed by the specification (sections 2 and 9).
    figures: [
      { label: "Total Horses", fixed: 10 },
      { label: "Available", fixed: 7, tone: "success" },
      { label: "In Use", fixed: 8, tone: "info" },
      { label: "Maintenance", fixed: 9, tone: "warning" },
    ],
    icon: <TruckIcon size={24} />,
    copiesId: true,
  },
  tabs: [assignmentsTab],
});
