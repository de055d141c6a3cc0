import { entryOf, type Kind, pathsBelow, uniqueMark } from "./kind";

export const horses: Kind = {
  noun: "horse",
  api: "/api/v1/horses",
  paths: pathsBelow("/management/horses"),
  list: {
    title: "Horse Management",
    addLink: "Add New Horse",
    cards: ["Total Horses", "Available", "In Use", "Maintenance"],
    columns: [
      "ID",
      "Chassis Number",
      "Engine Number",
      "Hired",
      "Identifier",
      "Owner",
      "Description",
      "Created At",
      "Updated At",
    ],
    searchPlaceholder: "Search horses by identifier, chassis, or engine...",
    loading: "Loading horses...",
    menu: ["Copy horse ID", "View Details", "Edit Horse", "Delete Horse"],
    deleteTitle: "Delete Horse",
    deleteQuestion: (name) => `Are you sure you want to delete ${name}? This action cannot be undone.`,
    deleted: () => ["Horse deleted"],
    deleteFailed: ["Error", "Failed to delete horse. Please try again."],
    deletions: 1,
  },
  addTitle: "Add Horse",
  editButton: "Edit Horse",
  back: "Back to Horses",
  sections: ["Identification", "Technical / Registration", "Ownership & Metadata", "Timestamps"],
  loading: "Loading horse details...",
  notFound: "Horse not found",
  added: ["Horse Added"],
  updated: ["Horse Updated"],
  required: [
    ["Identifier", "Identifier is required"],
    ["Chassis Number", "Chassis number is required"],
    ["Engine Number", "Engine number is required"],
  ],
  fields: [
    { label: "Owner", change: (wire, owner) => ({ ...wire, owner }) },
    { label: "Engine Number", change: (wire, text) => ({ ...wire, engine_number: text }) },
  ],
  cancelEdit: "list",
  unique: () => {
    const mark = uniqueMark();
    return entryOf(
      ["Identifier", "identifier", `Prima ${mark}`],
      ["Chassis Number", "chassis_number", `MAT127${mark}`],
      ["Engine Number", "engine_number", `ISBE6.7-${mark}`],
      ["Owner", "owner", "Malabar Roadlines"],
      ["Hired", "hired", "No"],
      ["Description", "description", "Sleeper cabin"],
      ["Metadata (JSON)", "metadata", { make: "Tata", power_hp: 300 }, '{"make": "Tata", "power_hp": 300}'],
    );
  },
  nameOf: ({ wire }) => String(wire.identifier),
  heading: ({ wire }) => String(wire.identifier),
  searchFor: ({ wire }) => String(wire.identifier),
};
