import type { SelectOption } from "@/shared/form/SearchableSelect";
import { CARGO_TYPES, COMMODITIES } from "./cargo";
import type { PickLists, Proposal, Route } from "./entities";

/** Something that is asked about a trip. */
export interface TripField {
  label: string;
  /** It is chosen from these. */
  options?: keyof PickLists | readonly SelectOption[];
  /** It is a number of at least 0, in such steps (section 9). */
  step?: number;
  placeholder?: string;
  /** No two trips have the same: it is not copied from one to the others. */
  own?: true;
}

/** What is asked about every trip, proposed or approved. */
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

/** What is asked about an approval's trip. */
export const APPROVAL_TRIP_FIELDS = { ...TRIP_FIELDS, ...OF_APPROVALS };

/** A trip as it is typed: all text but its trailers; empty means not given yet. */
export interface TripDraft extends Record<Exclude<keyof typeof TRIP_FIELDS, "trailers">, string> {
  /** Tells the cards apart; not the trip's id. */
  key: string;
  trailers: readonly string[];
}

/** A trip of an approval as it is typed. */
export interface ApprovalTripDraft extends TripDraft, Record<keyof typeof OF_APPROVALS, string> {}

/** A proposal, or an approval, as it is typed. */
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

/** Nothing has been changed, or everything back. */
export function isSameDraft(
  one: BookingDraft<TripDraft> | undefined,
  other: BookingDraft<TripDraft> | undefined,
): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

/** What an approval of a proposal starts from. */
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

/** Where trips along a route are loaded and delivered, unless somebody says otherwise. */
export function placesOf(route: Route | undefined) {
  return { placeOfLoading: route?.startLocation ?? "", placeOfDelivery: route?.endLocation ?? "" };
}

/** The trips along another route; a place that somebody has named stays. */
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

/** The trips, each with what the first one says of what trips have in common. */
export function copiedToAll<Trip extends TripDraft>(
  trips: readonly Trip[],
  fields: Readonly<Record<string, TripField>>,
): readonly Trip[] {
  const common = Object.entries(fields).filter(([, { own }]) => !own);
  const copied = Object.fromEntries(common.map(([name]) => [name, trips[0]?.[name as keyof Trip]]));
  return trips.map((trip) => ({ ...trip, ...copied }));
}

/** The trips without one of them; the last one stays. */
export function withoutTrip<Trip extends TripDraft>(trips: readonly Trip[], key: string): readonly Trip[] {
  return trips.length > 1 ? trips.filter((trip) => trip.key !== key) : trips;
}

/** The trailers and one more; none of them twice. */
export function withTrailer(trailers: readonly string[], id: string): readonly string[] {
  return trailers.includes(id) ? trailers : [...trailers, id];
}

/** What is wrong with a trip, by field; empty when it is complete. */
export function tripErrors(
  trip: TripDraft,
  fields: Readonly<Record<string, TripField>> = TRIP_FIELDS,
): Readonly<Record<string, string>> {
  const found = Object.entries(fields).map(([name, { label, step }]) => {
    const value = trip[name as keyof TripDraft];
    const isMissing = value.length === 0 || (typeof value === "string" && value.trim() === "");
    if (isMissing) return [name, requiredText(label)];
    return [name, step !== undefined && isBadAmount(String(value), step) && amountText(label, step)];
  });
  return Object.fromEntries(found.filter(([, error]) => error));
}

/** What is said of a field that must not be empty. */
export function requiredText(label: string): string {
  return `${label} required`;
}

function amountText(label: string, step: number): string {
  return `${label} must be 0 or more, in steps of ${step}`;
}

function isBadAmount(text: string, step: number): boolean {
  const steps = Number(text) / step;
  return !/^\d+(\.\d+)?$/.test(text.trim()) || Math.abs(steps - Math.round(steps)) >= 1e-6;
}
