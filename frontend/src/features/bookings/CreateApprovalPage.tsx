import { useState } from "react";
import { useSearchParams } from "react-router";
import { Section } from "@/shared/form/Section";
import { BookingFields } from "./BookingFields";
import { BookingForm } from "./BookingForm";
import {
  APPROVAL_TRIP_FIELDS,
  type ApprovalTripDraft,
  alongRoute,
  approvalDraftOf,
  type BookingDraft,
  emptyApprovalTrip,
  isSameDraft,
  placesOf,
  requiredText,
} from "./drafts";
import type { Proposal } from "./entities";
import styles from "./forms.module.css";
import { SelectInput } from "./inputs";
import { approvedProposalOptions } from "./pickOptions";
import { approvalRefusal } from "./refusals";
import { usePickLists, useProposals } from "./useBookings";

/** The form for an approval of a proposal, which the address may name. */
export function CreateApprovalPage() {
  const [params] = useSearchParams();
  const { data: proposals = [] } = useProposals();
  const proposalId = params.get("proposalId") ?? "";
  return <ApprovalForm key={proposalId} proposals={proposals} asked={proposalId} />;
}

function ApprovalForm({ proposals, asked }: { proposals: readonly Proposal[]; asked: string }) {
  const { proposalId, draft, isChanged, select, setDraft } = useSelectedProposal(proposals, asked);
  const { routes } = usePickLists();
  const routeOf = (one: BookingDraft<ApprovalTripDraft>) => routes.find(({ id }) => id === one.route);

  return (
    <BookingForm
      title="Create Booking Approval"
      submitText="Create Booking Approval"
      isChanged={isChanged}
      refusal={approvalRefusal(proposalId, draft)}
      created={{
        title: "Booking Approval Created",
        message: "Your booking approval has been created successfully",
      }}
    >
      {(isRefused) => (
        <>
          <Section title="Proposal">
            <div className={styles.grid}>
              <SelectInput
                label="Proposal ID"
                options={approvedProposalOptions(proposals)}
                searchPlaceholder="Search by ID or client..."
                value={proposalId}
                error={isRefused && proposalId === "" ? requiredText("Proposal ID") : undefined}
                onChange={select}
              />
            </div>
            {asked !== "" && proposalId === "" && (
              <p className={styles.note}>{asked} is not an approved proposal. Please select another one.</p>
            )}
          </Section>
          {draft && (
            <BookingFields
              draft={draft}
              onChange={(next) =>
                setDraft({ ...next, trips: alongRoute(next.trips, routeOf(draft), routeOf(next)) })
              }
              newTrip={() => ({ ...emptyApprovalTrip(), ...placesOf(routeOf(draft)) })}
              tripTitle="Trip"
              fields={APPROVAL_TRIP_FIELDS}
              isRefused={isRefused}
            />
          )}
        </>
      )}
    </BookingForm>
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
    isChanged: !isSameDraft(selected.draft, selected.initial),
    select: (id: string) => {
      if (id !== selected.proposalId) setSelected(startFrom(id));
    },
    setDraft: (draft: typeof selected.draft) => setSelected((before) => ({ ...before, draft })),
  };
}
