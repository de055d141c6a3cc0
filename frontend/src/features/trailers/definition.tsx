import { Axle, Wrench } from "@blueprintjs/icons";
import { useCallback } from "react";
import { deleteTwice, postReturningErrors } from "@/shared/api/specifiedQuirks";
import type { Wire } from "@/shared/api/wireTypes.gen";
import { useDriversOfTrailers } from "@/shared/assignments/drivers";
import { assignmentsTab } from "@/shared/assignments/tab";
import { notInFuture, oneOf, wholeNumber } from "@/shared/form/warnings";
import { codeText } from "@/shared/format/codeText";
import { recordOf } from "@/shared/records";
import { trailer } from "@/shared/records/entities.gen";
import { StatusBadge } from "@/shared/ui";
import { dataField, dateInData, isData, textInData } from "./data";
import { trailerPaths } from "./routes";
import { statusTone, type TrailerState, trailerState } from "./statuses";

/** A trailer of the API; a single one, and a saved one, lacks the members of the list. */
export type WireTrailer = Wire<"TrailerRecord"> & Partial<Wire<"TrailerListItem">>;

const COUNT = {
  warning: wholeNumber,
  rules: [{ holds: (text: string) => !(Number(text) < 0), message: "Must not be negative" }],
};
const inState = (state: TrailerState) => ({
  filter: state,
  cell: "status",
  has: (status: string) => trailerState(status) === state,
});
const LONG_TEXT = { wide: true };

/** The driver who has a trailer now; without one, the list shows the owner's name. */
function useDriverCells() {
  const driverOf = useDriversOfTrailers();
  return useCallback(
    (id: string) => {
      const driver = driverOf.get(id);
      return driver === undefined ? undefined : { assignedDriver: driver };
    },
    [driverOf],
  );
}

/** Trailers (spec, sections 3, 5 and 7). */
export const trailerDefinition = recordOf<WireTrailer>()(trailer, {
  paths: trailerPaths,
  create: async (path, body, options) => {
    const outcome = await postReturningErrors(path, body, options);
    if (outcome instanceof Error) throw outcome;
    return outcome;
  },
  remove: deleteTwice,
  sections: [
    {
      title: "Identification",
      fields: [
        {
          name: "identifier",
          identifies: true,
          aliases: ["Trailer Number", "Fleet Number", "Unit Number"],
          label: "Identifier",
          column: { hidden: true },
        },
        {
          name: "trailer_registration_number",
          identifies: true,
          aliases: [
            "Vehicle Registration Number",
            "Vehicle Number",
            "Trailer Number",
            "Plate Number",
            "Number Plate",
            "License Plate",
          ],
          pattern: /^[A-Z]{2}[ -]?\d{1,2}[ -]?[A-Z]{1,3}[ -]?\d{4}$/i,
          label: "Registration Number",
          column: { place: 2, header: "Registration", card: "second" },
        },
        { name: "type", label: "Type", textOf: codeText, column: { place: 3 } },
        {
          name: "status",
          label: "Status",
          textOf: codeText,
          warning: oneOf(trailer.fields.status.suggestions),
          column: {
            place: 5,
            card: "state",
            render: (status) => <StatusBadge label={codeText(status)} tone={statusTone(status)} />,
          },
        },
      ],
    },
    {
      title: "Location & Maintenance",
      fields: [
        { name: "location", wire: "data.currentLocation", label: "Location", ...textInData },
        {
          name: "last_maintenance",
          aliases: ["Last Maintenance Date", "Last Service", "Last Service Date"],
          wire: "data.lastMaintenance",
          label: "Last Maintenance",
          warning: notInFuture,
          ...dateInData,
        },
      ],
    },
    {
      title: "Technical",
      fields: [
        {
          name: "capacity_tons",
          aliases: ["Load Capacity", "Payload", "Payload (tons)", "Capacity (t)", "Tonnage"],
          label: "Capacity (tons)",
          column: { place: 4 },
        },
        { name: "axles", aliases: ["Number of Axles", "Axle Count"], label: "Axles", ...COUNT },
        { name: "no_of_tyres", aliases: ["Tyre Count"], label: "Number of Tyres", ...COUNT },
      ],
    },
    {
      title: "Ownership & Registration",
      fields: [
        {
          name: "owner_name",
          aliases: ["Owner"],
          label: "Owner Name",
          column: { place: 7, header: "Assigned Driver", emptyText: "Not assigned", wraps: true },
        },
        { name: "ownership_type", aliases: ["Ownership"], label: "Ownership Type", textOf: codeText },
        { name: "name_of_country", aliases: ["Country of Registration"], label: "Country" },
        { name: "purchase_date", aliases: ["Purchased On"], label: "Purchase Date", warning: notInFuture },
        {
          name: "registered_at",
          aliases: ["Registration Date"],
          label: "Registered At",
          warning: notInFuture,
        },
      ],
    },
    {
      title: "Descriptions",
      fields: [
        { name: "description_1", label: "Description 1", ...LONG_TEXT },
        { name: "description_2", label: "Description 2", ...LONG_TEXT },
        { name: "description_3", label: "Description 3", ...LONG_TEXT },
        { name: "description_4", label: "Description 4", ...LONG_TEXT },
        { name: "description_5", label: "Description 5", ...LONG_TEXT },
      ],
    },
    {
      title: "Additional Data",
      fields: [
        {
          name: "data",
          label: "Data (JSON)",
          wide: true,
          warning: (text) => (isData(text) ? undefined : "Not a valid JSON object, so it won't be saved."),
          // Invalid text keeps the previous value (spec, section 5); a new trailer has none.
          rules: [{ holds: isData, message: "Must be a JSON object", isForNew: true }],
          checkedWhenLeft: true,
          ...dataField,
        },
      ],
    },
  ],
  listed: [
    { name: "id", label: "Trailer ID", column: { place: 1 } },
    {
      name: "currentLocation",
      wire: "data.currentLocation",
      label: "Location",
      column: { place: 6, wraps: true },
    },
    {
      name: "lastMaintenance",
      wire: "data.lastMaintenance",
      label: "Last Maintenance",
      kind: "date",
      column: { place: 8 },
    },
  ],
  texts: {
    loadFailed: { title: "Trailer not found", message: "Failed to load trailer details" },
    added: { title: "Trailer Added", message: "Trailer added successfully." },
    updated: { title: "Trailer Updated", message: "Trailer updated successfully." },
    saveFailed: "Please try again.",
  },
  heading: ({ identifier, status }, id) => ({
    title: identifier || id,
    subtitle: `Trailer ID ${id}`,
    badge: status !== "" && <StatusBadge label={codeText(status)} tone={statusTone(status)} />,
  }),
  list: {
    title: "Trailers",
    subtitle: "Trailer fleet and maintenance",
    addLabel: "Add New Trailer",
    texts: { failedToast: "Failed to load trailers." },
    defaultSort: { id: "registrationNumber", desc: false },
    searchPlaceholder: "Search by identifier, registration, type, or location...",
    nameOf: ({ id }) => id,
    // Out of Service and unknown statuses count in the total alone.
    figures: [
      { label: "Total" },
      { label: "Available", tone: "success", counts: inState("available") },
      { label: "In Use", tone: "info", counts: inState("inUse") },
      { label: "Maintenance", tone: "warning", counts: inState("maintenance") },
    ],
    useCells: useDriverCells,
    icon: <Axle size={24} />,
    emptyAddLabel: "Add Trailer",
    // The specification gives it no behaviour (section 2).
    moreActions: [{ text: "Schedule Maintenance", icon: <Wrench /> }],
  },
  cancelEdit: "view",
  tabs: [assignmentsTab],
});
