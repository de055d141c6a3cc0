import { Button } from "@blueprintjs/core";
import { useLocation, useNavigate, useParams } from "react-router";
import { Section } from "@/shared/form/Section";
import { DateText } from "@/shared/format/DateText";
import { PageHeader, UnavailableButton } from "@/shared/ui";
import { BookingBadge } from "./BookingBadge";
import { Details } from "./Details";
import type { Proposal } from "./entities";
import { NotFound } from "./NotFound";
import { createApprovalPath, useBackToBookings } from "./paths";
import { RouteText } from "./RouteText";
import { approveInSession } from "./sessionApprovals";
import { tripsText } from "./statuses";
import { TripDetails } from "./TripDetails";
import { usePickLists, useProposal } from "./useBookings";

/** One proposal, and what can be done with it. */
export function ProposalPage() {
  const { id = "" } = useParams();
  const proposal = useProposal(id);
  const pickLists = usePickLists();
  const back = useBackToBookings();
  if (proposal === undefined) return <NotFound title="Booking Proposal" message="Proposal not found" />;

  return (
    <>
      <PageHeader
        title={`Booking Proposal ${proposal.id}`}
        back={back}
        badge={<BookingBadge of={proposal.status} />}
        actions={<ProposalActions proposal={proposal} />}
      />
      <div className="fl-stack">
        <Section title="Proposal Details">
          <Details
            of={{
              "Client Organization": proposal.clientOrganization,
              Route: <RouteText route={proposal.route} />,
              "Proposal Trips": tripsText(proposal.proposalTrips),
              "Created Date": <DateText date={proposal.createdDate} />,
            }}
          />
        </Section>
        {proposal.trips.map((trip, index) => (
          <Section key={trip.id} title={`Trip Proposal #${index + 1}`}>
            <TripDetails trip={trip} pickLists={pickLists} />
          </Section>
        ))}
      </div>
    </>
  );
}

function ProposalActions({ proposal }: { proposal: Proposal }) {
  const navigate = useNavigate();
  const { state } = useLocation();
  const approve = () => {
    approveInSession(proposal.id);
    navigate(createApprovalPath(proposal.id), { state });
  };
  return (
    <>
      <UnavailableButton text="Edit Proposal" />
      {proposal.status === "pending" && (
        <>
          <UnavailableButton text="Reject Proposal" />
          <Button text="Approve Proposal" intent="primary" onClick={approve} />
        </>
      )}
      {proposal.status === "approved" && <UnavailableButton text="Convert to Booking" />}
    </>
  );
}
