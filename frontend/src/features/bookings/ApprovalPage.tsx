import { useLocation, useParams } from "react-router";
import { LinkButton, PageHeader } from "@/shared/ui";
import { ApprovalDetails } from "./ApprovalDetails";
import { BookingBadge } from "./BookingBadge";
import styles from "./bookings.module.css";
import { NotFound } from "./NotFound";
import { BACK_TO_BOOKINGS, createApprovalPath, useBookingsAddress } from "./paths";
import { Review } from "./Review";
import { useApproval } from "./useBookings";

/** One approval; while it is pending, it is approved or rejected here. */
export function ApprovalPage() {
  const { id = "" } = useParams();
  const approval = useApproval(id);
  const back = useBookingsAddress();
  const { state } = useLocation();
  if (approval === undefined) return <NotFound title="Booking Approval" message="Approval not found" />;

  return (
    <>
      <PageHeader
        title={`Booking Approval ${approval.id}`}
        back={{ to: back, label: BACK_TO_BOOKINGS }}
        badge={
          <>
            <BookingBadge of={approval.approvalStatus} />
            <BookingBadge of={approval.priority} />
          </>
        }
        actions={
          approval.approvalStatus === "approved" && (
            <LinkButton
              to={createApprovalPath(approval.proposalId)}
              state={state}
              intent="primary"
              text="Create Approval"
            />
          )
        }
      />
      <div className={styles.sections}>
        <ApprovalDetails approval={approval} />
        {approval.approvalStatus === "pending-review" && (
          <Review key={approval.id} approvalId={approval.id} />
        )}
      </div>
    </>
  );
}
