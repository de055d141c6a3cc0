import type { SelectOption } from "@/shared/form/SearchableSelect";
import { CARGO_TYPES, COMMODITIES, type Proposal, type Route } from "./entities";
import type { PickLists } from "./samplePickLists";

/** A form field of a trip. */
export interface TripField {
  label: string;
  /** The choices of a select: a pick-list by name, or constant options. */
  options?: keyof PickLists | readonly SelectOption[];
  /** For numbers of at least 0 (section 9). */
  step?: number;
  placeholder?: string;
  /** Different for each trip, so not copied to the others. */
  own?: true;
}

/** The fields of a proposal's trip. */
export const TRIP_FIELDS = {
  horse: { label: "Horse (fleet)", options: "horses", own: true },
  trailers: { label: "Trailers", options: "trailers", own: true },
  driver: { label: "Driver", options: "drivers", own: true },
  tonnage: { label: "Tonnage (tons)", step: 0.1 },
  eta: { label: "ETA", placeholder: "2-3 days" },
} as const satisfies Record<string, TripField>;

const OF_APPROVALS = {
  transportRate: { label: "Transport Rate ($/ton)", step: 0.01 },
  commodity: { label: "Commodity", options: COMMODITIES },
  cargoType: { label: "Type of Cargo", options: CARGO_TYPES },
  transitTime: { label: "Transit Time (by client)", placeholder: "3 days" },
  placeOfLoading: { label: "Place of Loading" },
  placeOfDelivery: { label: "Place of Delivery" },
} as const satisfies Record<string, TripField>;

/** The fields of an approval's trip. */
export const APPROVAL_TRIP_FIELDS = { ...TRIP_FIELDS, ...OF_APPROVALS };

/** A trip as typed: text, except for its trailers; empty text is missing. */
export interface TripDraft extends Record<Exclude<keyof typeof TRIP_FIELDS, "trailers">, string> {
  /** The React key of the trip's card. */
  key: string;
  trailers: readonly string[];
}

export interface ApprovalTripDraft extends TripDraft, Record<keyof typeof OF_APPROVALS, string> {}

/** A proposal or an approval as typed. */
export interface BookingDraft<Trip extends TripDraft> {
  route: string;
  /** The client's name. */
  client: string;
  trips: readonly Trip[];
}

let lastKey = 0;

export function emptyTrip(): TripDraft {
  lastKey += 1;
  return { key: `trip-${lastKey}`, horse: "", trailers: [], driver: "", tonnage: "", eta: "" };
}

export function emptyApprovalTrip(): ApprovalTripDraft {
  const empty = Object.keys(OF_APPROVALS).map((name) => [name, ""]);
  return { ...emptyTrip(), ...Object.fromEntries(empty) };
}

/** The initial values of an approval of a proposal. */
export function approvalDraftOf(proposal: Proposal): BookingDraft<ApprovalTripDraft> {
  return {
    route: proposal.route.id,
    client: proposal.clientOrganization,
    trips: proposal.trips.map(({ horse, trailers, driver, tonnage, eta }) => ({
      ...emptyApprovalTrip(),
      ...{ horse, trailers, driver, tonnage: String(tonnage), eta },
      ...placesOf(proposal.route),
    })),
  };
}

/** The default places of loading and delivery: the ends of the route. */
export function placesOf(route: Route | undefined) {
  return { placeOfLoading: route?.startLocation ?? "", placeOfDelivery: route?.endLocation ?? "" };
}

/** The trips after a change of route: default places follow the route, typed ones stay. */
export function alongRoute(
  trips: readonly ApprovalTripDraft[],
  from: Route | undefined,
  to: Route | undefined,
): readonly ApprovalTripDraft[] {
  const [before, after] = [placesOf(from), placesOf(to)];
  const placeIn = (trip: ApprovalTripDraft, name: keyof typeof after) =>
    trip[name] === before[name] ? after[name] : trip[name];
  return trips.map((trip) => ({
    ...trip,
    placeOfLoading: placeIn(trip, "placeOfLoading"),
    placeOfDelivery: placeIn(trip, "placeOfDelivery"),
  }));
}

/** The trips with the first one's values in all fields that are not `own`. */
export function copiedToAll<Trip extends TripDraft>(
  trips: readonly Trip[],
  fields: Readonly<Record<string, TripField>>,
): readonly Trip[] {
  const common = Object.entries(fields).filter(([, { own }]) => !own);
  const copied = Object.fromEntries(common.map(([name]) => [name, trips[0]?.[name as keyof Trip]]));
  return trips.map((trip) => ({ ...trip, ...copied }));
}

/** Error texts of a trip by field; empty if the trip is complete. */
export function tripErrors(
  trip: TripDraft,
  fields: Readonly<Record<string, TripField>>,
): Readonly<Record<string, string>> {
  const found = Object.entries(fields).map(([name, { label, step }]) => {
    const value = trip[name as keyof TripDraft];
    if (value.length === 0 || (typeof value === "string" && value.trim() === "")) {
      return [name, requiredText(label)];
    }
    const isBad = step !== undefined && !isAmount(String(value), step);
    return [name, isBad && `${label} must be 0 or more, in steps of ${step}`];
  });
  return Object.fromEntries(found.filter(([, error]) => error));
}

export function requiredText(label: string): string {
  return `${label} required`;
}

function isAmount(text: string, step: number): boolean {
  const steps = Number(text) / step;
  return /^\d+(\.\d+)?$/.test(text.trim()) && Math.abs(steps - Math.round(steps)) < 1e-6;
}

/** The toast that says why a form cannot be submitted. */
export interface Refusal {
  title: string;
  message: string;
}

const MISSING = "Missing Information";

/** Why a proposal cannot be submitted (section 5); undefined if it can. */
export function proposalRefusal(draft: BookingDraft<TripDraft>): Refusal | undefined {
  return bookingRefusal(draft, TRIP_FIELDS, "Please complete all proposal trip details");
}

/** Why an approval cannot be submitted (section 5); undefined if it can. */
export function approvalRefusal(
  proposalId: string,
  draft: BookingDraft<TripDraft> | undefined,
): Refusal | undefined {
  if (proposalId === "" || draft === undefined) {
    return { title: MISSING, message: "Please select a proposal ID first" };
  }
  const incomplete = "Please complete all trip details including approval-specific fields";
  return bookingRefusal(draft, APPROVAL_TRIP_FIELDS, incomplete);
}

function bookingRefusal(
  { route, client, trips }: BookingDraft<TripDraft>,
  fields: typeof TRIP_FIELDS,
  incomplete: string,
): Refusal | undefined {
  if (route === "" || client === "") {
    return { title: MISSING, message: "Please select both route and client organization" };
  }
  const isComplete = trips.every((trip) => Object.keys(tripErrors(trip, fields)).length === 0);
  return isComplete ? undefined : { title: "Incomplete Trips", message: incomplete };
}
