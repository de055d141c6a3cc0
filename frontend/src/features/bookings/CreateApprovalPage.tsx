import { Button } from "@blueprintjs/core";
import { useMemo, useState } from "react";
import { useNavigate, useSearchParams } from "react-router";
import { LeaveDialog } from "@/shared/form/LeaveDialog";
import { Section } from "@/shared/form/Section";
import { useLeaveGuard } from "@/shared/form/useLeaveGuard";
import { toast } from "@/shared/toast";
import { PageHeader } from "@/shared/ui";
import { ApprovalTripFields } from "./ApprovalTripFields";
import { BookingFields } from "./BookingFields";
import { approvalDraftOf, approvalTripErrors, emptyApprovalTrip } from "./drafts";
import type { Proposal } from "./entities";
import styles from "./forms.module.css";
import { SelectInput } from "./inputs";
import { BACK_TO_BOOKINGS, bookingPaths, useBookingsAddress } from "./paths";
import { approvedProposalOptions, pickOptions } from "./pickOptions";
import { approvalRefusal } from "./refusals";
import { useBookingSubmit } from "./useBookingSubmit";
import { usePickLists, useProposals } from "./useBookings";

/** The form for an approval of a proposal, which the address may name. */
export function CreateApprovalPage() {
  const [params] = useSearchParams();
  const { proposals = [] } = useProposals();
  const proposalId = params.get("proposalId") ?? "";
  return <ApprovalForm key={proposalId} proposals={proposals} asked={proposalId} />;
}

/** Nothing is sent anywhere: so the specification has it (section 2). */
function ApprovalForm({ proposals, asked }: { proposals: readonly Proposal[]; asked: string }) {
  const selection = useSelectedProposal(proposals, asked);
  const { proposalId, draft, setDraft } = selection;
  const navigate = useNavigate();
  const back = useBookingsAddress();
  const pickLists = usePickLists();
  const options = useMemo(() => pickOptions(pickLists), [pickLists]);
  const guard = useLeaveGuard(selection.isChanged);
  const { form, isSubmitted, onSubmit } = useBookingSubmit(
    () => approvalRefusal(proposalId, draft),
    () => {
      guard.release();
      toast.show({
        title: "Booking Approval Created",
        message: "Your booking approval has been created successfully",
        intent: "success",
      });
      navigate(bookingPaths.list);
    },
  );

  return (
    <>
      <PageHeader title="Create Booking Approval" back={{ to: back, label: BACK_TO_BOOKINGS }} />
      <form
        ref={form}
        className={styles.form}
        aria-label="Create booking approval"
        noValidate
        onSubmit={onSubmit}
      >
        <Section title="Proposal">
          <div className={styles.grid}>
            <SelectInput
              label="Proposal ID"
              options={approvedProposalOptions(proposals)}
              searchPlaceholder="Search by ID or client..."
              value={proposalId}
              error={isSubmitted && proposalId === "" ? "Required" : undefined}
              onChange={selection.select}
            />
          </div>
          {asked !== "" && proposalId === "" && (
            <p className={styles.note}>{asked} is not an approved proposal. Please select another one.</p>
          )}
        </Section>
        {draft && (
          <BookingFields
            draft={draft}
            onChange={setDraft}
            options={options}
            newTrip={emptyApprovalTrip}
            tripTitle="Trip"
            errorsOf={approvalTripErrors}
            isSubmitted={isSubmitted}
            moreFields={(trip, errors, onChange) => (
              <ApprovalTripFields trip={trip} errors={errors} onChange={onChange} />
            )}
          />
        )}
        <div className={styles.bar}>
          <Button type="submit" intent="primary" text="Create Booking Approval" />
        </div>
      </form>
      <LeaveDialog guard={guard} />
    </>
  );
}

/** The proposal chosen, and what has been made of it; choosing another one starts from that one. */
function useSelectedProposal(proposals: readonly Proposal[], asked: string) {
  const startFrom = (id: string) => {
    const proposal = proposals.find((each) => each.id === id && each.status === "approved");
    const draft = proposal && approvalDraftOf(proposal);
    return { proposalId: proposal?.id ?? "", initial: draft, draft };
  };
  const [selected, setSelected] = useState(() => startFrom(asked));
  return {
    ...selected,
    isChanged: JSON.stringify(selected.draft) !== JSON.stringify(selected.initial),
    select: (id: string) => {
      if (id !== selected.proposalId) setSelected(startFrom(id));
    },
    setDraft: (draft: typeof selected.draft) => setSelected((before) => ({ ...before, draft })),
  };
}
