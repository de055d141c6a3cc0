import { Button } from "@blueprintjs/core";
import { useMemo, useState } from "react";
import { useNavigate } from "react-router";
import { LeaveDialog } from "@/shared/form/LeaveDialog";
import { useLeaveGuard } from "@/shared/form/useLeaveGuard";
import { toast } from "@/shared/toast";
import { PageHeader } from "@/shared/ui";
import { BookingFields } from "./BookingFields";
import { type BookingDraft, emptyTrip, type TripDraft, tripErrors } from "./drafts";
import styles from "./forms.module.css";
import { BACK_TO_BOOKINGS, bookingPaths, useBookingsAddress } from "./paths";
import { pickOptions } from "./pickOptions";
import { proposalRefusal } from "./refusals";
import { useBookingSubmit } from "./useBookingSubmit";
import { usePickLists } from "./useBookings";

/** The form for a new proposal. Nothing is sent anywhere: so the specification has it (section 2). */
export function CreateProposalPage() {
  const [initial] = useState(
    (): BookingDraft<TripDraft> => ({ route: "", client: "", trips: [emptyTrip()] }),
  );
  const [draft, setDraft] = useState(initial);
  const navigate = useNavigate();
  const back = useBookingsAddress();
  const pickLists = usePickLists();
  const options = useMemo(() => pickOptions(pickLists), [pickLists]);
  const guard = useLeaveGuard(JSON.stringify(draft) !== JSON.stringify(initial));
  const { form, isSubmitted, onSubmit } = useBookingSubmit(
    () => proposalRefusal(draft),
    () => {
      guard.release();
      toast.show({
        title: "Booking Created",
        message: "Your booking proposal has been created successfully",
        intent: "success",
      });
      navigate(bookingPaths.list);
    },
  );

  return (
    <>
      <PageHeader title="New Booking Proposal" back={{ to: back, label: BACK_TO_BOOKINGS }} />
      <form
        ref={form}
        className={styles.form}
        aria-label="New booking proposal"
        noValidate
        onSubmit={onSubmit}
      >
        <BookingFields
          draft={draft}
          onChange={setDraft}
          options={options}
          newTrip={emptyTrip}
          tripTitle="Trip Proposal"
          errorsOf={tripErrors}
          isSubmitted={isSubmitted}
        />
        <div className={styles.bar}>
          <Button type="submit" intent="primary" text="Create Booking Proposal" />
        </div>
      </form>
      <LeaveDialog guard={guard} />
    </>
  );
}
