import { APPROVAL_TRIP_FIELDS, type BookingDraft, TRIP_FIELDS, type TripDraft, tripErrors } from "./drafts";

/** Why a form cannot be submitted, as a toast says it. */
export interface Refusal {
  title: string;
  message: string;
}

const MISSING = "Missing Information";

/** Why a proposal cannot be submitted (section 5); undefined when it can. */
export function proposalRefusal(draft: BookingDraft<TripDraft>): Refusal | undefined {
  return bookingRefusal(draft, TRIP_FIELDS, "Please complete all proposal trip details");
}

/** Why an approval cannot be submitted (section 5); undefined when it can. */
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
