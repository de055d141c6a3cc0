import { type Kind, uniqueMark } from "./kind";

const LIST = "/management/horses";

export const horses: Kind = {
  noun: "horse",
  api: "/api/v1/horses",
  paths: {
    list: LIST,
    add: `${LIST}/add`,
    view: (id) => `${LIST}/${id}`,
    edit: (id) => `${LIST}/edit/${id}`,
  },
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
    failed: "Failed to load horses",
    failedToast: "Failed to load horses. Please try again.",
    empty: ["No horses found", "Get started by adding your first horse."],
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
  loadFailed: {
    title: "Failed to load horse details",
    toast: "Failed to load horse details. Please try again.",
  },
  added: ["Horse Added"],
  updated: ["Horse Updated"],
  addFailed: "Failed to add driver",
  updateFailed: "Failed to update driver",
  saveFailed: "Somthing went wrong. Please try again.",
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
    const identifier = `Prima ${uniqueMark()}`;
    return {
      form: {
        Identifier: identifier,
        "Chassis Number": "MAT127DFYRW544589",
        "Engine Number": "ISBE6.7-94431068",
        Owner: "Malabar Roadlines",
        Hired: "No",
        Description: "Sleeper cabin",
        "Metadata (JSON)": '{"make": "Tata", "power_hp": 300}',
      },
      wire: {
        identifier,
        chassis_number: "MAT127DFYRW544589",
        engine_number: "ISBE6.7-94431068",
        owner: "Malabar Roadlines",
        hired: "No",
        description: "Sleeper cabin",
        metadata: { make: "Tata", power_hp: 300 },
      },
    };
  },
  nameOf: ({ wire }) => String(wire.identifier),
  heading: ({ wire }) => String(wire.identifier),
  searchFor: ({ wire }) => String(wire.identifier),
};
