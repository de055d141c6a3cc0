import { Button } from "@blueprintjs/core";
import { type FormEvent, type ReactNode, useEffect, useRef, useState } from "react";
import { useNavigate, useSearchParams } from "react-router";
import formStyles from "@/shared/form/form.module.css";
import { useLeaveGuard } from "@/shared/form/leaveGuard";
import { Section } from "@/shared/form/Section";
import { SAVE_BUTTON } from "@/shared/form/saveKeys";
import { toast } from "@/shared/toast";
import { LinkButton, PageHeader } from "@/shared/ui";
import { BookingFields, SelectInput } from "./BookingFields";
import styles from "./bookings.module.css";
import {
  APPROVAL_TRIP_FIELDS,
  type ApprovalTripDraft,
  alongRoute,
  approvalDraftOf,
  approvalRefusal,
  type BookingDraft,
  emptyApprovalTrip,
  emptyTrip,
  placesOf,
  proposalRefusal,
  type Refusal,
  requiredText,
  TRIP_FIELDS,
  type TripDraft,
} from "./drafts";
import { bookingPaths, useBackToBookings } from "./paths";
import { samplePickLists } from "./samplePickLists";
import { createInSession, useProposals } from "./useBookings";

export function CreateProposalPage() {
  const [initial] = useState(
    (): BookingDraft<TripDraft> => ({ route: "", client: "", trips: [emptyTrip()] }),
  );
  const [draft, setDraft] = useState(initial);

  return (
    <BookingForm
      title="New Booking Proposal"
      submitText="Create Booking Proposal"
      isChanged={isDifferent(draft, initial)}
      refusal={proposalRefusal(draft)}
      created={{
        title: "Booking Created",
        message: "Your booking proposal has been created successfully",
      }}
      onCreate={() => createInSession(draft)}
    >
      {(isRefused) => (
        <BookingFields
          draft={draft}
          onChange={setDraft}
          newTrip={emptyTrip}
          tripTitle="Trip Proposal"
          fields={TRIP_FIELDS}
          isRefused={isRefused}
        />
      )}
    </BookingForm>
  );
}

/** The form of a new approval; the query parameter `proposalId` preselects its proposal. */
export function CreateApprovalPage() {
  const [params] = useSearchParams();
  const proposalId = params.get("proposalId") ?? "";
  return <ApprovalForm key={proposalId} asked={proposalId} />;
}

function ApprovalForm({ asked }: { asked: string }) {
  const approved = useProposals().filter(({ status }) => status === "approved");
  const startFrom = (id: string) => {
    const proposal = approved.find((one) => one.id === id);
    const initial = proposal && approvalDraftOf(proposal);
    return { proposalId: proposal?.id ?? "", initial, draft: initial };
  };
  const [{ proposalId, initial, draft }, setSelected] = useState(() => startFrom(asked));
  const routeOf = ({ route }: BookingDraft<ApprovalTripDraft>) =>
    samplePickLists.routes.find(({ id }) => id === route);

  return (
    <BookingForm
      title="Create Booking Approval"
      submitText="Create Booking Approval"
      isChanged={isDifferent(draft, initial)}
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
                options={approved.map(({ id, clientOrganization }) => ({
                  value: id,
                  label: id,
                  description: clientOrganization,
                }))}
                searchPlaceholder="Search by ID or client..."
                value={proposalId}
                error={isRefused && proposalId === "" ? requiredText("Proposal ID") : undefined}
                onChange={(id) => {
                  if (id !== proposalId) setSelected(startFrom(id));
                }}
              />
            </div>
            {asked !== "" && proposalId === "" && (
              <p className="fl-remark">{asked} is not an approved proposal. Select another one.</p>
            )}
          </Section>
          {draft && (
            <BookingFields
              draft={draft}
              onChange={(next) => {
                const trips = alongRoute(next.trips, routeOf(draft), routeOf(next));
                setSelected({ proposalId, initial, draft: { ...next, trips } });
              }}
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

function isDifferent(draft: unknown, initial: unknown): boolean {
  return JSON.stringify(draft) !== JSON.stringify(initial);
}

interface BookingFormProps {
  title: string;
  submitText: string;
  isChanged: boolean;
  refusal: Refusal | undefined;
  /** The success toast. */
  created: { title: string; message: string };
  onCreate?: () => void;
  /** The fields; after a refusal they show their errors. */
  children: (isRefused: boolean) => ReactNode;
}

/**
 * The screen of a booking's form. Submitting shows a toast: why the form is refused, with the focus on the first
 * invalid field, or success, and returns to the lists. The specification has no server call (section 2).
 */
function BookingForm(props: BookingFormProps) {
  const { title, submitText, isChanged, refusal, created, onCreate, children } = props;
  const navigate = useNavigate();
  const back = useBackToBookings();
  const guard = useLeaveGuard(isChanged);
  const form = useRef<HTMLFormElement>(null);
  const [refusals, setRefusals] = useState(0);

  useEffect(() => {
    if (refusals > 0) form.current?.querySelector<HTMLElement>("[aria-invalid='true']")?.focus();
  }, [refusals]);

  const onSubmit = (event: FormEvent) => {
    event.preventDefault();
    toast.clear();
    if (refusal !== undefined) {
      toast.show({ ...refusal, intent: "danger" });
      setRefusals((count) => count + 1);
      return;
    }
    onCreate?.();
    toast.show({ ...created, intent: "success" });
    guard.release();
    navigate(bookingPaths.list);
  };

  return (
    <>
      <PageHeader title={title} isSample back={back} />
      <form ref={form} className="fl-stack" aria-label={title} noValidate onSubmit={onSubmit}>
        {children(refusals > 0)}
        <div className={formStyles.bar}>
          <Button type="submit" {...SAVE_BUTTON} intent="primary" text={submitText} />
          <LinkButton to={back.to} text="Cancel" />
        </div>
      </form>
      {guard.dialog}
    </>
  );
}
