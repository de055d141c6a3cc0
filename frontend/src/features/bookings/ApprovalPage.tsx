import { Link, useLocation, useParams } from "react-router";
import { Section } from "@/shared/form/Section";
import { DateText } from "@/shared/format/DateText";
import { LinkButton, PageHeader } from "@/shared/ui";
import { BookingBadge } from "./BookingBadge";
import styles from "./bookings.module.css";
import { Details } from "./Details";
import type { Approval } from "./entities";
import { NotFound } from "./NotFound";
import { createApprovalPath, proposalPath, useBackToBookings } from "./paths";
import { Review } from "./Review";
import { RouteText } from "./RouteText";
import { TripDetails } from "./TripDetails";
import { useApproval, usePickLists } from "./useBookings";

/** One approval; while it is pending, it is approved or rejected here. */
export function ApprovalPage() {
  const { id = "" } = useParams();
  const approval = useApproval(id);
  const back = useBackToBookings();
  const { state } = useLocation();
  if (approval === undefined) return <NotFound title="Booking Approval" message="Approval not found" />;

  return (
    <>
      <PageHeader
        title={`Booking Approval ${approval.id}`}
        back={back}
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
      <div className="fl-stack">
        <ApprovalDetails approval={approval} />
        {approval.approvalStatus === "pending-review" && (
          <Review key={approval.id} approvalId={approval.id} />
        )}
      </div>
    </>
  );
}

/** What an approval says: as a whole, for each trip, and what reviewers have said before. */
function ApprovalDetails({ approval }: { approval: Approval }) {
  const pickLists = usePickLists();
  const { state } = useLocation();
  return (
    <>
      <Section title="Approval Details">
        <Details
          of={{
            "Approval ID": approval.id,
            "Proposal ID": (
              <Link to={proposalPath(approval.proposalId)} state={state}>
                {approval.proposalId}
              </Link>
            ),
            Reviewer: approval.reviewer,
            "Submitted Date": <DateText date={approval.submittedDate} />,
            "Client Organization": approval.clientOrganization,
            Route: <RouteText route={approval.route} />,
            "Submission Notes": approval.submissionNotes,
          }}
          wide="Submission Notes"
        />
      </Section>
      {approval.trips.map((trip, index) => (
        <Section key={trip.id} title={`Trip #${index + 1}`}>
          <TripDetails trip={trip} pickLists={pickLists} />
        </Section>
      ))}
      {approval.comments !== "" && (
        <Section title="Previous Comments">
          <p className={styles.prose}>{approval.comments}</p>
        </Section>
      )}
    </>
  );
}
