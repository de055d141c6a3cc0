import { Button, TextArea } from "@blueprintjs/core";
import { useRef, useState } from "react";
import { useLocation, useNavigate, useParams } from "react-router";
import { LabelledField } from "@/shared/form/LabelledField";
import { LeaveDialog } from "@/shared/form/LeaveDialog";
import { Section } from "@/shared/form/Section";
import { useLeaveGuard } from "@/shared/form/useLeaveGuard";
import { toast } from "@/shared/toast";
import { LinkButton, PageHeader } from "@/shared/ui";
import { ApprovalDetails } from "./ApprovalDetails";
import { ApprovalStatusBadge, PriorityBadge } from "./Badges";
import styles from "./bookings.module.css";
import type { Approval } from "./entities";
import { NotFound } from "./NotFound";
import { BACK_TO_BOOKINGS, bookingPaths, createApprovalPath, useBookingsAddress } from "./paths";
import { useApproval } from "./useBookings";

/** One approval; while it is pending, it is approved or rejected here. */
export function ApprovalPage() {
  const { id = "" } = useParams();
  const approval = useApproval(id);
  if (approval === undefined) return <NotFound title="Booking Approval" message="Approval not found" />;
  return <KnownApproval key={id} approval={approval} />;
}

function KnownApproval({ approval }: { approval: Approval }) {
  const back = useBookingsAddress();
  const { state } = useLocation();
  const isPending = approval.approvalStatus === "pending-review";
  const review = useReview(approval);

  return (
    <>
      <PageHeader
        title={`Booking Approval ${approval.id}`}
        back={{ to: back, label: BACK_TO_BOOKINGS }}
        badge={
          <>
            <ApprovalStatusBadge status={approval.approvalStatus} />
            <PriorityBadge priority={approval.priority} />
          </>
        }
        actions={
          isPending ? (
            <>
              <Button text="Reject" intent="danger" variant="outlined" onClick={review.reject} />
              <Button text="Approve" intent="primary" onClick={review.approve} />
            </>
          ) : (
            approval.approvalStatus === "approved" && (
              <LinkButton
                to={createApprovalPath(approval.proposalId)}
                state={state}
                intent="primary"
                text="Create Approval"
              />
            )
          )
        }
      />
      <div className={styles.sections}>
        <ApprovalDetails approval={approval} />
        {isPending && (
          <Section title="Review">
            <LabelledField label="Comments" isRequired error={review.error}>
              {({ id, describedBy }) => (
                <TextArea
                  id={id}
                  inputRef={review.field}
                  fill
                  autoResize
                  aria-required
                  aria-invalid={review.error !== undefined}
                  aria-describedby={describedBy}
                  value={review.comments}
                  onChange={(event) => review.setComments(event.currentTarget.value)}
                />
              )}
            </LabelledField>
          </Section>
        )}
      </div>
      <LeaveDialog guard={review.guard} />
    </>
  );
}

/** The decision about an approval. Only rejecting demands comments; neither is kept anywhere (section 4). */
function useReview({ id }: Approval) {
  const navigate = useNavigate();
  const [comments, setComments] = useState("");
  const [isRefused, setRefused] = useState(false);
  const field = useRef<HTMLTextAreaElement>(null);
  const isBlank = comments.trim() === "";
  const guard = useLeaveGuard(!isBlank);

  const done = (title: string, message: string) => {
    toast.show({ title, message, intent: "success" });
    guard.release();
    navigate(bookingPaths.list);
  };

  return {
    comments,
    setComments,
    field,
    guard,
    error: isRefused && isBlank ? COMMENTS_NEEDED : undefined,
    approve: () => done("Approval Approved", `Booking approval ${id} has been approved successfully.`),
    reject: () => {
      if (!isBlank) {
        done("Approval Rejected", `Booking approval ${id} has been rejected.`);
        return;
      }
      toast.show({ title: "Comments Required", message: COMMENTS_NEEDED, intent: "danger" });
      setRefused(true);
      field.current?.focus();
    },
  };
}

const COMMENTS_NEEDED = "Please provide comments when rejecting an approval.";
