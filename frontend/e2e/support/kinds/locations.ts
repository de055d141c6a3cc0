import { entryOf, type Kind, uniqueMark } from "./kind";

const BASE = "/management/locations";

export const locations: Kind = {
  noun: "location",
  api: "/api/locations",
  paths: {
    list: "/management/routes",
    added: /\/management\/routes\?tab=locations&row=[^&]+$/,
    add: `${BASE}/add`,
    view: (id) => `${BASE}/${id}`,
    edit: (id) => `${BASE}/${id}/edit`,
  },
  addTitle: "Add Location",
  editButton: "Edit Location",
  back: "Back to Routes",
  sections: ["Basic Information", "Coordinates", "Additional Information (Optional)"],
  loading: "Loading location details...",
  notFound: "Location not found",
  added: ["Location Added"],
  updated: ["Location Updated"],
  required: [
    ["Location Name", "Location name is required"],
    ["Country", "Country is required"],
    ["Latitude", "Latitude must be between -90 and 90"],
    ["Longitude", "Longitude must be between -180 and 180"],
  ],
  fields: [
    {
      label: "City",
      change: (wire, city) => ({ ...wire, attributes: { ...(wire.attributes as object), city } }),
    },
    { label: "Country", change: (wire, country) => ({ ...wire, country }) },
  ],
  cancelEdit: "view",
  unique: () =>
    entryOf(
      ["Location Name", "name", `Kochi depot ${uniqueMark()}`],
      ["Country", "country", "India"],
      ["Location Type", "location_type", "WAREHOUSE"],
      ["Latitude", "lat", 9.9312],
      ["Longitude", "longitude", 76.2673],
      ["City", "attributes.city", "Kochi"],
      ["State", "attributes.state", "Kerala"],
      ["Postal Code", "attributes.postalCode", "682001"],
      ["", "attributes.status", "Active"],
      ["", "attributes.capacity", "40 trucks"],
    ),
  nameOf: ({ wire }) => String(wire.name),
  heading: ({ wire }) => String(wire.name),
  searchFor: ({ wire }) => String(wire.name),
};
