import type { Proposal } from "./entities";

/** A trip as it is typed: all text; empty means not given yet. */
export interface TripDraft {
  /** Tells the cards apart; not the trip's id. */
  key: string;
  horse: string;
  trailers: readonly string[];
  driver: string;
  tonnage: string;
  eta: string;
}

/** A trip of an approval as it is typed. */
export interface ApprovalTripDraft extends TripDraft {
  transportRate: string;
  commodity: string;
  cargoType: string;
  transitTime: string;
  placeOfLoading: string;
  placeOfDelivery: string;
}

/** A proposal, or an approval, as it is typed. */
export interface BookingDraft<Trip extends TripDraft> {
  route: string;
  /** The client's name. */
  client: string;
  trips: readonly Trip[];
}

/** What is wrong with a trip, by field. */
export type TripErrors<Trip extends TripDraft> = Partial<Record<keyof Trip, string>>;

let lastKey = 0;

export function emptyTrip(): TripDraft {
  lastKey += 1;
  return { key: `trip-${lastKey}`, horse: "", trailers: [], driver: "", tonnage: "", eta: "" };
}

export function emptyApprovalTrip(): ApprovalTripDraft {
  return { ...emptyTrip(), ...NOT_YET_APPROVED };
}

const NOT_YET_APPROVED = {
  transportRate: "",
  commodity: "",
  cargoType: "",
  transitTime: "",
  placeOfLoading: "",
  placeOfDelivery: "",
};

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
    })),
  };
}

/** The trips without one of them; the last one stays. */
export function withoutTrip<Trip extends TripDraft>(trips: readonly Trip[], key: string): readonly Trip[] {
  return trips.length > 1 ? trips.filter((trip) => trip.key !== key) : trips;
}

/** The trailers and one more; none of them twice. */
export function withTrailer(trailers: readonly string[], id: string): readonly string[] {
  return trailers.includes(id) ? trailers : [...trailers, id];
}

/** What a proposal's trip lacks; empty when it is complete. */
export function tripErrors(trip: TripDraft): TripErrors<TripDraft> {
  return errorsOf<TripDraft>({
    horse: missing(trip.horse),
    trailers: trip.trailers.length === 0 ? REQUIRED : undefined,
    driver: missing(trip.driver),
    tonnage: missing(trip.tonnage) ?? badAmount(trip.tonnage, TONNAGE_STEP),
    eta: missing(trip.eta),
  });
}

/** What an approval's trip lacks; empty when it is complete. */
export function approvalTripErrors(trip: ApprovalTripDraft): TripErrors<ApprovalTripDraft> {
  return {
    ...tripErrors(trip),
    ...errorsOf<ApprovalTripDraft>({
      transportRate: missing(trip.transportRate) ?? badAmount(trip.transportRate, RATE_STEP),
      commodity: missing(trip.commodity),
      cargoType: missing(trip.cargoType),
      transitTime: missing(trip.transitTime),
      placeOfLoading: missing(trip.placeOfLoading),
      placeOfDelivery: missing(trip.placeOfDelivery),
    }),
  };
}

/** In tons (section 9). */
export const TONNAGE_STEP = 0.1;
/** In dollars per ton (section 9). */
export const RATE_STEP = 0.01;

const REQUIRED = "Required";

function missing(text: string): string | undefined {
  return text.trim() === "" ? REQUIRED : undefined;
}

function badAmount(text: string, step: number): string | undefined {
  const steps = Number(text) / step;
  const isAmount = /^\d+(\.\d+)?$/.test(text.trim()) && Math.abs(steps - Math.round(steps)) < 1e-6;
  return isAmount ? undefined : `Must be 0 or more, in steps of ${step}`;
}

function errorsOf<Trip extends TripDraft>(
  found: Partial<Record<keyof Trip, string | undefined>>,
): TripErrors<Trip> {
  const entries = Object.entries(found).filter(([, error]) => error !== undefined);
  return Object.fromEntries(entries) as TripErrors<Trip>;
}
