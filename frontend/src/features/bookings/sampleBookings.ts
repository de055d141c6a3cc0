import { total } from "@/shared/format/total";
import { APPROVAL_STATUSES, type Approval, PRIORITIES, type Proposal } from "./entities";
import { samplePickLists } from "./samplePickLists";

const { routes, horses, trailers, drivers } = samplePickLists;

const COUNT = 100;
const DAY = 24 * 60 * 60 * 1000;
const FIRST_DAY = Date.UTC(2026, 4, 4);

const OLDER = ["completed", "completed", "approved", "in-progress", "rejected", "approved"] as const;
const NEWER = ["pending", "approved", "pending", "in-progress", "approved", "rejected"] as const;

/** The clients' cargo and trailer types. */
const SHIPMENTS = [
  shipment("Sahyadri Steel Works", "steel", "oversized", "Flatbed"),
  shipment("Konkan Cement", "cement", "dry", "Flatbed"),
  shipment("Deccan Agro Foods", "food-grains", "dry", "Container"),
  shipment("Malwa Textiles", "textiles", "container", "Container"),
  shipment("Coromandel Chemicals", "chemicals", "hazardous", "Tanker"),
  shipment("Coromandel Chemicals", "chemicals", "refrigerated", "Refrigerated"),
  shipment("Ganga Valley Grain", "food-grains", "bulk", "Tipper"),
  shipment("Kaveri Electronics", "electronics", "container", "Container"),
  shipment("Saurashtra Petroleum", "petroleum", "liquid", "Tanker"),
  shipment("Utkal Coal", "coal", "bulk", "Tipper"),
  shipment("Pallava Auto Parts", "automotive", "container", "Container"),
  shipment("Pallava Auto Parts", "machinery", "oversized", "Low Bed"),
];

const REVIEWERS = ["Anita Desai", "Vikram Iyer", "Farida Khan", "Sanjay Mehta", "Lakshmi Nair"];
const NOTES = [
  "Client asks for loading before noon; the dock closes at 14:00.",
  "Rates as agreed for this quarter. E-way bills are filed by the consignor.",
  "Return load is not confirmed yet.",
  "Monsoon diversions possible, hence the longer transit time.",
  "Consignee needs a call two hours before arrival.",
];
const REMARKS: Record<Approval["approvalStatus"], readonly string[]> = {
  "pending-review": ["", "Please confirm the transit time with the client.", ""],
  approved: ["Rates are in line with the contract.", "Approved after a call with the client."],
  rejected: [
    "Rate is below the floor for this route.",
    "Trailer does not suit the cargo; please send a new proposal.",
  ],
};
const LOADING_PLACES = ["Freight Terminal", "Industrial Area", "Transport Nagar"];
const DELIVERY_PLACES = ["Logistics Park", "Inland Depot", "Warehouse Zone"];

/** Items in turn; different factors keep the columns from repeating together. */
const at = <Item>(items: readonly Item[], index: number) => items[Math.floor(index) % items.length] as Item;

/** 100 generated proposals, the same every time. */
export const sampleProposals: readonly Proposal[] = Array.from({ length: COUNT }, (_, index) => {
  const id = sampleId("BP", index);
  const route = at(routes, index * 5);
  const { client, trailerType } = at(SHIPMENTS, (index * 13) / 12);
  const proposalTrips = 1 + (Math.floor((index * 5) / 4) % 4);
  const trailersEach = proposalTrips <= 2 ? 1 + (index % 2) : 1;
  const ofType = trailers.filter(({ type }) => type === trailerType);
  const days = daysFor(route.distance);
  return {
    id,
    clientOrganization: client,
    route,
    proposalTrips,
    status: at(index < COUNT / 2 ? OLDER : NEWER, (index * 7) / 6),
    createdDate: dayAfter(FIRST_DAY, index * 2),
    // No horse, driver or trailer is on two trips of a proposal.
    trips: Array.from({ length: proposalTrips }, (_, trip) => {
      const horse = at(horses, index * 3 + trip);
      const chosen = Array.from({ length: trailersEach }, (_, each) =>
        at(ofType, index + trip * trailersEach + each),
      );
      const capacity = Math.min(horse.capacity, total(chosen.map((trailer) => trailer.capacity)));
      return {
        id: `${id}-T${trip + 1}`,
        horse: horse.id,
        trailers: chosen.map((trailer) => trailer.id),
        driver: at(drivers, index * 7 + trip).id,
        tonnage: Math.floor(capacity * (7 + (index % 4))) / 10,
        eta: days === 1 ? "1 day" : `${days}-${days + 1} days`,
      };
    }),
  };
});

const approved = sampleProposals.filter(({ status }) => status === "approved");

/** 100 generated approvals of the approved proposals, two or three of each. */
export const sampleApprovals: readonly Approval[] = Array.from({ length: COUNT }, (_, index) => {
  const position = (index * approved.length) / COUNT;
  const proposal = at(approved, position);
  const { route, clientOrganization, trips } = proposal;
  const trailerType = trailers.find(({ id }) => id === trips[0]?.trailers[0])?.type;
  const shipped = SHIPMENTS.find(
    (each) => each.client === clientOrganization && each.trailerType === trailerType,
  );
  const approvalStatus = at(APPROVAL_STATUSES, (index * 4) / 3);
  const terms = {
    // About 3.5 cents per ton and km.
    transportRate: Math.round(route.distance * (3 + (index % 10) / 10)) / 100,
    commodity: shipped?.commodity ?? "",
    cargoType: shipped?.cargoType ?? "",
    transitTime: `${daysFor(route.distance) + 1} days`,
    placeOfLoading: `${route.startLocation} ${at(LOADING_PLACES, index)}`,
    placeOfDelivery: `${route.endLocation} ${at(DELIVERY_PLACES, index)}`,
  };
  return {
    id: sampleId("BA", index),
    proposalId: proposal.id,
    clientOrganization,
    route,
    approvalStatus,
    submittedDate: dayAfter(Date.parse(proposal.createdDate), 1 + Math.floor((position % 1) * 3)),
    reviewer: at(REVIEWERS, index),
    priority: at(PRIORITIES, (index * 7) / 3),
    trips: trips.map((trip) => ({ ...trip, ...terms })),
    comments: at(REMARKS[approvalStatus], index + 1),
    submissionNotes: at(NOTES, index / 2),
  };
});

function shipment(client: string, commodity: string, cargoType: string, trailerType: string) {
  return { client, commodity, cargoType, trailerType };
}

/** Driving days at about 450 km a day. */
function daysFor(distance: number): number {
  return Math.ceil(distance / 450);
}

function dayAfter(start: number, days: number): string {
  return new Date(start + days * DAY).toISOString().slice(0, 10);
}

/** `BP-001` for the first one. */
export function sampleId(prefix: string, index: number): string {
  return `${prefix}-${String(index + 1).padStart(3, "0")}`;
}
