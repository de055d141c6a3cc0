import { Button, TextArea } from "@blueprintjs/core";
import { type ReactNode, useRef, useState } from "react";
import { Link, useLocation, useNavigate, useParams } from "react-router";
import formStyles from "@/shared/form/form.module.css";
import { LabelledField } from "@/shared/form/LabelledField";
import { useLeaveGuard } from "@/shared/form/leaveGuard";
import { Section } from "@/shared/form/Section";
import { counted } from "@/shared/format/counted";
import { DateText } from "@/shared/format/DateText";
import { formatDistance } from "@/shared/format/distance";
import { PrintButton } from "@/shared/print/PrintButton";
import type { ListState } from "@/shared/table";
import { RowNav } from "@/shared/table/RowNav";
import { orderBehind } from "@/shared/table/rowOrder";
import { toast } from "@/shared/toast";
import { EmptyState, LinkButton, PageHeader, UnavailableButton } from "@/shared/ui";
import styles from "./bookings.module.css";
import {
  type Approval,
  type ApprovalTrip,
  CARGO_TYPES,
  COMMODITIES,
  labelOf,
  type Proposal,
  type ProposalTrip,
  type Route,
  statusText,
} from "./entities";
import { BookingBadge } from "./lists";
import { approvalPath, bookingPaths, createApprovalPath, proposalPath, useBackToBookings } from "./paths";
import { samplePickLists } from "./samplePickLists";
import { decideInSession, useApprovals, useProposals } from "./useBookings";

export function ProposalPage() {
  const { id = "" } = useParams();
  const proposal = useProposals().find((one) => one.id === id);
  const navigate = useNavigate();
  const { state } = useLocation();
  const back = useBackToBookings();
  if (proposal === undefined) return <NotFound title="Booking Proposal" message="Proposal not found" />;

  const approve = () => {
    decideInSession(id, "approved");
    navigate(createApprovalPath(id), { state });
  };
  const details = (
    <>
      <Section
        title="Proposal Details"
        facts={{
          "Client Organization": proposal.clientOrganization,
          Route: <RouteText route={proposal.route} />,
          "Proposal Trips": counted(proposal.proposalTrips, "trip"),
          "Created Date": <DateText date={proposal.createdDate} />,
        }}
      />
      {proposal.trips.map((trip, index) => (
        <Section key={trip.id} title={`Trip Proposal #${index + 1}`} facts={tripFacts(trip)} />
      ))}
    </>
  );
  return (
    <>
      <PageHeader
        title={`Booking Proposal ${proposal.id}`}
        isSample
        back={back}
        badge={<BookingBadge of={proposal.status} />}
        actions={
          <>
            <RowNav key={id} id={id} noun="proposal" hrefOf={proposalPath} />
            <PrintDetails title={`Booking Proposal ${id}`} status={proposal.status} content={details} />
            <UnavailableButton text="Edit Proposal" />
            {proposal.status === "pending" && (
              <>
                <UnavailableButton text="Reject Proposal" />
                <Button text="Approve Proposal" intent="primary" onClick={approve} />
              </>
            )}
            {proposal.status === "approved" && <UnavailableButton text="Convert to Booking" />}
          </>
        }
      />
      <div className="fl-stack">{details}</div>
    </>
  );
}

/** An approval, with the review form while it is pending. */
export function ApprovalPage() {
  const { id = "" } = useParams();
  const approval = useApprovals().find((one) => one.id === id);
  const back = useBackToBookings();
  const { state } = useLocation();
  if (approval === undefined) return <NotFound title="Booking Approval" message="Approval not found" />;

  return (
    <>
      <PageHeader
        title={`Booking Approval ${approval.id}`}
        isSample
        back={back}
        badge={
          <>
            <BookingBadge of={approval.approvalStatus} />
            <BookingBadge of={approval.priority} />
          </>
        }
        actions={
          <>
            <RowNav key={id} id={id} noun="approval" hrefOf={approvalPath} />
            <PrintDetails
              title={`Booking Approval ${id}`}
              status={approval.approvalStatus}
              content={<ApprovalDetails approval={approval} />}
            />
            {approval.approvalStatus === "approved" && (
              <LinkButton
                to={createApprovalPath(approval.proposalId)}
                state={state}
                intent="primary"
                text="Create Approval"
              />
            )}
          </>
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

interface PrintDetailsProps {
  title: string;
  status: Proposal["status"] | Approval["approvalStatus"];
  content: ReactNode;
}

function PrintDetails({ title, status, content }: PrintDetailsProps) {
  const facts = { Note: "Sample data", Status: statusText(status) };
  const stack = <div className="fl-stack">{content}</div>;
  return <PrintButton load={async () => ({ title, facts, content: stack })} />;
}

function ApprovalDetails({ approval }: { approval: Approval }) {
  const { state } = useLocation();
  return (
    <>
      <Section
        title="Approval Details"
        facts={{
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
          "Submission Notes": approval.submissionNotes || "None",
        }}
      />
      {approval.trips.map((trip, index) => (
        <Section key={trip.id} title={`Trip #${index + 1}`} facts={tripFacts(trip)} />
      ))}
      {approval.comments !== "" && (
        <Section title="Previous Comments">
          <p className={styles.prose}>{approval.comments}</p>
        </Section>
      )}
    </>
  );
}

const COMMENTS_NEEDED = "Please provide comments when rejecting an approval.";

/** The form to approve or reject. Only rejecting needs comments; no server is called (section 4). */
function Review({ approvalId }: { approvalId: string }) {
  const navigate = useNavigate();
  const afterDecision = useAfterDecision(approvalId);
  const [comments, setComments] = useState("");
  const [isRefused, setRefused] = useState(false);
  const field = useRef<HTMLTextAreaElement>(null);
  const isBlank = comments.trim() === "";
  const isMissing = isRefused && isBlank;
  const guard = useLeaveGuard(!isBlank);

  const done = (decision: "approved" | "rejected", title: string, message: string) => {
    toast.clear();
    toast.show({ title, message, intent: "success" });
    guard.release();
    decideInSession(approvalId, decision);
    navigate(afterDecision);
  };
  const approve = () =>
    done("approved", "Approval Approved", `Booking approval ${approvalId} has been approved successfully.`);
  const reject = () => {
    if (!isBlank) {
      done("rejected", "Approval Rejected", `Booking approval ${approvalId} has been rejected.`);
      return;
    }
    toast.clear();
    toast.show({ title: "Comments Required", message: COMMENTS_NEEDED, intent: "danger" });
    setRefused(true);
    field.current?.focus();
  };

  return (
    <>
      <Section title="Review">
        <LabelledField label="Comments" isRequired error={isMissing ? COMMENTS_NEEDED : undefined}>
          {(control) => (
            <TextArea
              {...control}
              className={styles.comments ?? ""}
              inputRef={field}
              fill
              autoResize
              intent={isMissing ? "danger" : "none"}
              value={comments}
              onChange={(event) => setComments(event.currentTarget.value)}
            />
          )}
        </LabelledField>
      </Section>
      <div className={formStyles.bar}>
        <Button text="Approve" intent="primary" onClick={approve} />
        <Button text="Reject" intent="danger" variant="outlined" onClick={reject} />
      </div>
      {guard.dialog}
    </>
  );
}

/** Return the address of the approvals as the user left them, at the next pending one. */
function useAfterDecision(id: string): string {
  const state = useLocation().state as ListState | null;
  const approvals = useApprovals();
  const order = state?.list === undefined ? undefined : orderBehind(state, id);
  const ids = order?.ids ?? approvals.map((approval) => approval.id);
  const at = ids.indexOf(id);
  const isPending = (one: string) =>
    one !== id && approvals.some((it) => it.id === one && it.approvalStatus === "pending-review");
  const next = [...ids.slice(at + 1), ...ids.slice(0, at)].find(isPending);
  const params = new URLSearchParams(order && state?.list);
  params.set("tab", "approvals");
  if (next !== undefined) params.set("row", next);
  return `${bookingPaths.list}?${params}`;
}

function tripFacts(trip: ProposalTrip | ApprovalTrip) {
  const horse = samplePickLists.horses.find(({ id }) => id === trip.horse);
  const driver = samplePickLists.drivers.find(({ id }) => id === trip.driver);
  return {
    Horse: (
      <>
        {horse?.name ?? trip.horse}
        {horse && <span className="fl-remark">{horse.model}</span>}
      </>
    ),
    Driver: (
      <>
        {driver?.name ?? trip.driver}
        {driver && <span className="fl-remark">{driver.licence}</span>}
        {driver && (
          <span className="fl-remark">
            {driver.experience} years' experience, rating&nbsp;{driver.rating.toFixed(1)}
          </span>
        )}
      </>
    ),
    Trailers: (
      <ul>
        {trip.trailers.map((id) => {
          const trailer = samplePickLists.trailers.find((each) => each.id === id);
          return (
            <li key={id}>
              {trailer?.name ?? id}
              {trailer && <span className="fl-remark">{`${trailer.type}, ${trailer.capacity} tons`}</span>}
            </li>
          );
        })}
      </ul>
    ),
    Tonnage: `${trip.tonnage} tons`,
    ETA: trip.eta,
    ...("transportRate" in trip && {
      "Transport Rate": `$${trip.transportRate.toFixed(2)} per ton`,
      "Transit Time": trip.transitTime,
      Commodity: labelOf(COMMODITIES, trip.commodity),
      "Cargo Type": labelOf(CARGO_TYPES, trip.cargoType),
      "Loading Place": trip.placeOfLoading,
      "Delivery Place": trip.placeOfDelivery,
    }),
  };
}

function RouteText({ route }: { route: Route }) {
  return (
    <>
      {route.name}
      <span className="fl-remark">
        {route.startLocation} → {route.endLocation}, {formatDistance(route.distance)}
      </span>
    </>
  );
}

/** The screen of an unknown id. */
function NotFound({ title, message }: { title: string; message: string }) {
  const back = useBackToBookings();
  return (
    <>
      <PageHeader title={title} back={back} />
      <EmptyState title={message} action={<LinkButton to={back.to} text={back.label} />} />
    </>
  );
}
