import type { Approval, ApprovalTrip, Driver, Horse, Proposal, ProposalTrip, Route } from "./entities";
import { APPROVAL_STATUSES, PRIORITIES } from "./entities";
import { samplePickLists } from "./samplePickLists";
import { type Random, randomFrom } from "./sampleRandom";

const { routes, horses, trailers, drivers } = samplePickLists;

const COUNT = 100;
const DAY = 24 * 60 * 60 * 1000;
const FIRST_DAY = Date.UTC(2026, 4, 4);

/** Older proposals have been decided upon, newer ones wait. */
const OLDER = ["completed", "completed", "approved", "in-progress", "rejected", "approved"] as const;
const NEWER = ["pending", "approved", "pending", "in-progress", "approved", "rejected"] as const;

/** What each client ships, and in what. */
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
    "Trailer does not suit the cargo; please propose anew.",
  ],
};
const LOADING_PLACES = ["Freight Terminal", "Industrial Area", "Transport Nagar"];
const DELIVERY_PLACES = ["Logistics Park", "Inland Depot", "Warehouse Zone"];

/** 100 generated proposals, the same every time. */
export const sampleProposals: readonly Proposal[] = Array.from({ length: COUNT }, (_, index) => {
  const random = randomFrom(index + 1);
  const id = sampleId("BP", index);
  const route = random.pick(routes);
  const { client, trailerType } = random.pick(SHIPMENTS);
  const trips = proposalTrips(id, route, trailerType, random);
  return {
    id,
    clientOrganization: client,
    route,
    proposalTrips: trips.length,
    status: random.pick(index < COUNT / 2 ? OLDER : NEWER),
    createdDate: dayAfter(FIRST_DAY, index * 2),
    trips,
  };
});

/** 100 generated approvals of the approved proposals, two or three of each. */
export const sampleApprovals: readonly Approval[] = Array.from({ length: COUNT }, (_, index) => {
  const random = randomFrom(1000 + index);
  const approved = sampleProposals.filter(({ status }) => status === "approved");
  const position = (index * approved.length) / COUNT;
  const proposal = approved[Math.floor(position)] as Proposal;
  const attempt = Math.floor((position % 1) * 3);
  const approvalStatus = random.pick(APPROVAL_STATUSES);
  return {
    id: sampleId("BA", index),
    proposalId: proposal.id,
    clientOrganization: proposal.clientOrganization,
    route: proposal.route,
    approvalStatus,
    submittedDate: dayAfter(Date.parse(proposal.createdDate), 1 + attempt),
    reviewer: random.pick(REVIEWERS),
    priority: random.pick(PRIORITIES),
    trips: approvalTrips(proposal, random),
    comments: random.pick(REMARKS[approvalStatus]),
    submissionNotes: random.pick(NOTES),
  };
});

/** Up to four trips; no horse, driver or trailer is on two of them. */
function proposalTrips(
  proposalId: string,
  route: Route,
  trailerType: string,
  random: Random,
): readonly ProposalTrip[] {
  const count = 1 + random.below(4);
  const trailersEach = count <= 2 ? 1 + random.below(2) : 1;
  const freeHorses = random.shuffled(horses);
  const freeDrivers = random.shuffled(drivers);
  const freeTrailers = random.shuffled(trailers.filter(({ type }) => type === trailerType));
  const days = daysFor(route);

  return Array.from({ length: count }, (_, index) => {
    const horse = freeHorses[index] as Horse;
    const driver = freeDrivers[index] as Driver;
    const chosen = freeTrailers.slice(index * trailersEach, (index + 1) * trailersEach);
    const trailersCarry = chosen.reduce((sum, { capacity }) => sum + capacity, 0);
    const load = Math.min(horse.capacity, trailersCarry) * (0.7 + random.fraction() * 0.3);
    return {
      id: `${proposalId}-T${index + 1}`,
      horse: horse.id,
      trailers: chosen.map(({ id }) => id),
      driver: driver.id,
      tonnage: Math.round(load * 10) / 10,
      eta: days === 1 ? "1 day" : `${days}-${days + 1} days`,
    };
  });
}

/** The proposal's trips with what its client ships in such trailers. */
function approvalTrips(
  { clientOrganization, route, trips }: Proposal,
  random: Random,
): readonly ApprovalTrip[] {
  const trailerType = trailers.find(({ id }) => id === trips[0]?.trailers[0])?.type;
  const shipped = SHIPMENTS.find(
    (each) => each.client === clientOrganization && each.trailerType === trailerType,
  );
  const terms = {
    // About 3.5 cents per ton and km.
    transportRate: Math.round(route.distance * (3 + random.fraction())) / 100,
    commodity: shipped?.commodity ?? "",
    cargoType: shipped?.cargoType ?? "",
    transitTime: `${daysFor(route) + 1} days`,
    placeOfLoading: `${route.startLocation} ${random.pick(LOADING_PLACES)}`,
    placeOfDelivery: `${route.endLocation} ${random.pick(DELIVERY_PLACES)}`,
  };
  return trips.map((trip) => ({ ...trip, ...terms }));
}

function shipment(client: string, commodity: string, cargoType: string, trailerType: string) {
  return { client, commodity, cargoType, trailerType };
}

/** Driving days at about 450 km a day. */
function daysFor({ distance }: Route): number {
  return Math.ceil(distance / 450);
}

function dayAfter(start: number, days: number): string {
  return new Date(start + days * DAY).toISOString().slice(0, 10);
}

/** `BP-001` for the first one. */
function sampleId(prefix: string, index: number): string {
  return `${prefix}-${String(index + 1).padStart(3, "0")}`;
}
