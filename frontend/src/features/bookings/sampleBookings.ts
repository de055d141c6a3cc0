import type { Approval, ApprovalTrip, Proposal, ProposalTrip, Route } from "./entities";
import { APPROVAL_STATUSES, PRIORITIES } from "./entities";
import { samplePickLists } from "./samplePickLists";

const { routes, clients, horses, trailers, drivers } = samplePickLists;

const COUNT = 100;
const DAY = 24 * 60 * 60 * 1000;
const FIRST_DAY = Date.UTC(2026, 4, 4);

/** Older proposals have been decided upon, newer ones wait. */
const OLDER = ["completed", "completed", "approved", "in-progress", "rejected", "approved"] as const;
const NEWER = ["pending", "approved", "pending", "in-progress", "approved", "rejected"] as const;

const CARGOES: readonly { commodity: string; cargoType: string; trailerTypes: readonly string[] }[] = [
  { commodity: "steel", cargoType: "oversized", trailerTypes: ["Flatbed", "Low Bed"] },
  { commodity: "coal", cargoType: "bulk", trailerTypes: ["Tipper"] },
  { commodity: "cement", cargoType: "dry", trailerTypes: ["Flatbed"] },
  { commodity: "machinery", cargoType: "oversized", trailerTypes: ["Low Bed"] },
  { commodity: "chemicals", cargoType: "hazardous", trailerTypes: ["Tanker"] },
  { commodity: "textiles", cargoType: "container", trailerTypes: ["Container"] },
  { commodity: "food-grains", cargoType: "bulk", trailerTypes: ["Tipper", "Flatbed"] },
  { commodity: "petroleum", cargoType: "liquid", trailerTypes: ["Tanker"] },
  { commodity: "electronics", cargoType: "container", trailerTypes: ["Container"] },
  { commodity: "automotive", cargoType: "container", trailerTypes: ["Container"] },
];

const REVIEWERS = ["Anita Deshmukh", "Vikram Iyer", "Farida Khan", "Sanjay Mehta", "Lakshmi Nair"];
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

/** 100 generated proposals, the same every time. */
export const sampleProposals: readonly Proposal[] = Array.from({ length: COUNT }, (_, index) => {
  const random = randomFrom(index + 1);
  const id = `BP-${String(index + 1).padStart(3, "0")}`;
  const route = pick(routes, random);
  const trips: ProposalTrip[] = [];
  const count = 1 + Math.floor(random() * 4);
  while (trips.length < count) trips.push(proposalTrip(`${id}-T${trips.length + 1}`, route, trips, random));
  return {
    id,
    clientOrganization: pick(clients, random).name,
    route,
    proposalTrips: trips.length,
    status: pick(index < COUNT / 2 ? OLDER : NEWER, random),
    createdDate: day(index * 2),
    trips,
  };
});

/** 100 generated approvals of approved proposals, some of them submitted more than once. */
export const sampleApprovals: readonly Approval[] = Array.from({ length: COUNT }, (_, index) => {
  const random = randomFrom(1000 + index);
  const approved = sampleProposals.filter(({ status }) => status === "approved");
  const proposal = approved[Math.floor((index * approved.length) / COUNT)] as Proposal;
  const approvalStatus = pick(APPROVAL_STATUSES, random);
  return {
    id: `BA-${String(index + 1).padStart(3, "0")}`,
    proposalId: proposal.id,
    clientOrganization: proposal.clientOrganization,
    route: proposal.route,
    approvalStatus,
    submittedDate: day((Date.parse(proposal.createdDate) - FIRST_DAY) / DAY + 1 + (index % 3)),
    reviewer: pick(REVIEWERS, random),
    priority: pick(PRIORITIES, random),
    trips: proposal.trips.map((trip) => approvalTrip(trip, proposal.route, random)),
    comments: pick(REMARKS[approvalStatus], random),
    submissionNotes: pick(NOTES, random),
  };
});

/** A trip with a horse, a driver and trailers that the proposal's other trips leave free. */
function proposalTrip(
  id: string,
  route: Route,
  others: readonly ProposalTrip[],
  random: () => number,
): ProposalTrip {
  const taken = new Set(others.flatMap((trip) => [trip.horse, trip.driver, ...trip.trailers]));
  const isFree = (each: { id: string }) => !taken.has(each.id);
  const free = trailers.filter(isFree);
  const feasible = CARGOES.filter(({ trailerTypes }) => free.some(({ type }) => trailerTypes.includes(type)));
  const { trailerTypes } = pick(feasible, random);
  const suitable = free.filter(({ type }) => trailerTypes.includes(type));
  const first = pick(suitable, random);
  const second = pick(suitable, random);
  const chosen = second === first || random() < 0.6 ? [first] : [first, second];
  const horse = pick(horses.filter(isFree), random);
  const capacity = Math.min(horse.capacity, ...chosen.map((trailer) => trailer.capacity));
  const days = daysFor(route);
  return {
    id,
    horse: horse.id,
    trailers: chosen.map((trailer) => trailer.id),
    driver: pick(drivers.filter(isFree), random).id,
    tonnage: Math.round(capacity * (0.7 + random() * 0.3) * 10) / 10,
    eta: days === 1 ? "1 day" : `${days}-${days + 1} days`,
  };
}

function approvalTrip(trip: ProposalTrip, route: Route, random: () => number): ApprovalTrip {
  const types = trailers.filter(({ id }) => trip.trailers.includes(id)).map(({ type }) => type);
  const suitable = CARGOES.filter(({ trailerTypes }) => types.every((type) => trailerTypes.includes(type)));
  const { commodity, cargoType } = pick(suitable, random);
  return {
    ...trip,
    // About 3.5 cents per ton and km.
    transportRate: Math.round(route.distance * (3 + random())) / 100,
    commodity,
    cargoType,
    transitTime: `${daysFor(route) + 1} days`,
    placeOfLoading: `${route.startLocation} ${pick(["Port Terminal", "Industrial Area", "Freight Yard"], random)}`,
    placeOfDelivery: `${route.endLocation} ${pick(["Logistics Park", "Inland Depot", "Warehouse Zone"], random)}`,
  };
}

/** Driving days at about 450 km a day. */
function daysFor({ distance }: Route): number {
  return Math.ceil(distance / 450);
}

function day(afterFirst: number): string {
  return new Date(FIRST_DAY + afterFirst * DAY).toISOString().slice(0, 10);
}

/** A small generator of numbers from 0 to 1 that gives the same ones for the same seed (mulberry32). */
function randomFrom(seed: number): () => number {
  let state = Math.imul(seed, 0x9e3779b1);
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

function pick<Item>(items: readonly Item[], random: () => number): Item {
  return items[Math.floor(random() * items.length)] as Item;
}
