import { Link, useLocation } from "react-router";
import { Section } from "@/shared/form/Section";
import { DateText } from "@/shared/format/DateText";
import styles from "./bookings.module.css";
import { Detail, Details } from "./Details";
import type { Approval } from "./entities";
import { proposalPath } from "./paths";
import { RouteDetail } from "./RouteDetail";
import { TripDetails } from "./TripDetails";
import { usePickLists } from "./useBookings";

/** What an approval says: as a whole, for each trip, and what reviewers have said before. */
export function ApprovalDetails({ approval }: { approval: Approval }) {
  const pickLists = usePickLists();
  const { state } = useLocation();
  return (
    <>
      <Section title="Approval Details">
        <Details>
          <Detail label="Approval ID">{approval.id}</Detail>
          <Detail label="Proposal ID">
            <Link to={proposalPath(approval.proposalId)} state={state}>
              {approval.proposalId}
            </Link>
          </Detail>
          <Detail label="Reviewer">{approval.reviewer}</Detail>
          <Detail label="Submitted Date">
            <DateText date={approval.submittedDate} />
          </Detail>
          <Detail label="Client Organization">{approval.clientOrganization}</Detail>
          <RouteDetail route={approval.route} />
          <Detail label="Submission Notes" isWide>
            {approval.submissionNotes}
          </Detail>
        </Details>
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
