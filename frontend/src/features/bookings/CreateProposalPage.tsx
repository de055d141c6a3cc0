import { useState } from "react";
import { BookingFields } from "./BookingFields";
import { BookingForm } from "./BookingForm";
import { type BookingDraft, emptyTrip, isSameDraft, TRIP_FIELDS, type TripDraft } from "./drafts";
import { proposalRefusal } from "./refusals";

/** The form for a new proposal. */
export function CreateProposalPage() {
  const [initial] = useState(
    (): BookingDraft<TripDraft> => ({ route: "", client: "", trips: [emptyTrip()] }),
  );
  const [draft, setDraft] = useState(initial);

  return (
    <BookingForm
      title="New Booking Proposal"
      submitText="Create Booking Proposal"
      isChanged={!isSameDraft(draft, initial)}
      refusal={proposalRefusal(draft)}
      created={{
        title: "Booking Created",
        message: "Your booking proposal has been created successfully",
      }}
    >
      {(isRefused) => (
        <BookingFields
          draft={draft}
          onChange={setDraft}
          newTrip={emptyTrip}
          tripTitle="Trip Proposal"
          fields={TRIP_FIELDS}
          isRefused={isRefused}
        />
      )}
    </BookingForm>
  );
}
