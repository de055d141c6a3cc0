import { Link, useLocation } from "react-router";
import { Section } from "@/shared/form/Section";
import { DateText } from "@/shared/format/DateText";
import styles from "./bookings.module.css";
import { Details } from "./Details";
import type { Approval } from "./entities";
import { proposalPath } from "./paths";
import { RouteText } from "./RouteText";
import { TripDetails } from "./TripDetails";
import { usePickLists } from "./useBookings";

/** What an approval says: as a whole, for each trip, and what reviewers have said before. */
export function ApprovalDetails({ approval }: { approval: Approval }) {
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
