import {
  type ApprovalTripDraft,
  approvalTripErrors,
  type BookingDraft,
  type TripDraft,
  type TripErrors,
  tripErrors,
} from "./drafts";

/** Why a form cannot be submitted, as a toast says it. */
export interface Refusal {
  title: string;
  message: string;
}

/** Why a proposal cannot be submitted (section 5); undefined when it can. */
export function proposalRefusal(draft: BookingDraft<TripDraft>): Refusal | undefined {
  return bookingRefusal(draft, tripErrors, "Please complete all proposal trip details");
}

/** Why an approval cannot be submitted (section 5); undefined when it can. */
export function approvalRefusal(
  proposalId: string,
  draft: BookingDraft<ApprovalTripDraft> | undefined,
): Refusal | undefined {
  if (proposalId === "" || draft === undefined) {
    return { title: MISSING, message: "Please select a proposal ID first" };
  }
  const incomplete = "Please complete all trip details including approval-specific fields";
  return bookingRefusal(draft, approvalTripErrors, incomplete);
}

const MISSING = "Missing Information";

function bookingRefusal<Trip extends TripDraft>(
  { route, client, trips }: BookingDraft<Trip>,
  errorsOf: (trip: Trip) => TripErrors<Trip>,
  incomplete: string,
): Refusal | undefined {
  if (route === "" || client === "") {
    return { title: MISSING, message: "Please select both route and client organization" };
  }
  const isComplete = trips.every((trip) => Object.keys(errorsOf(trip)).length === 0);
  return isComplete ? undefined : { title: "Incomplete Trips", message: incomplete };
}
