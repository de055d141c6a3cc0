import fc from "fast-check";
import { expect, test } from "vitest";
import {
  APPROVAL_TRIP_FIELDS,
  type ApprovalTripDraft,
  approvalDraftOf,
  approvalRefusal,
  emptyApprovalTrip,
  emptyTrip,
  proposalRefusal,
  TRIP_FIELDS,
  type TripDraft,
  tripErrors,
} from "./drafts";
import { sampleProposals } from "./sampleBookings";

/** A trip that lacks nothing, neither for a proposal nor for an approval. */
const completeTrip = (): ApprovalTripDraft => ({
  ...emptyApprovalTrip(),
  ...{ horse: "HR-001", trailers: ["TL-001"], driver: "DR-001", tonnage: "24.5", eta: "2-3 days" },
  ...{ transportRate: "48.25", commodity: "steel", cargoType: "oversized", transitTime: "3 days" },
  ...{ placeOfLoading: "Nhava Sheva Port Terminal", placeOfDelivery: "Nagpur Inland Depot" },
});
const proposalTripErrors = (trip: TripDraft) => tripErrors(trip, TRIP_FIELDS);
const approvalTripErrors = (trip: ApprovalTripDraft) => tripErrors(trip, APPROVAL_TRIP_FIELDS);
const PROPOSAL_FIELDS = ["horse", "trailers", "driver", "tonnage", "eta"] as const;
const APPROVAL_FIELDS = [
  ...PROPOSAL_FIELDS,
  ...([
    "transportRate",
    "commodity",
    "cargoType",
    "transitTime",
    "placeOfLoading",
    "placeOfDelivery",
  ] as const),
];
const booking = <Trip>(trips: Trip[]) => ({ route: "RT-001", client: "Malwa Textiles", trips });
const lacking = (fields: readonly (keyof ApprovalTripDraft)[]): ApprovalTripDraft => ({
  ...completeTrip(),
  ...Object.fromEntries(fields.map((field) => [field, field === "trailers" ? [] : " "])),
});
/** What each of up to four trips lacks: mostly nothing. */
const lacks = fc.array(
  fc.oneof({ weight: 3, arbitrary: fc.constant([]) }, fc.subarray(APPROVAL_FIELDS, { maxLength: 2 })),
  { minLength: 1, maxLength: 4 },
);

test("an empty trip lacks everything, a complete one nothing", () => {
  expect(Object.keys(proposalTripErrors(emptyTrip()))).toEqual(PROPOSAL_FIELDS);
  expect(Object.keys(approvalTripErrors(emptyApprovalTrip()))).toEqual(APPROVAL_FIELDS);
  expect(approvalTripErrors(completeTrip())).toEqual({});
});

test("each missing value of a trip is reported at its field alone", () => {
  fc.assert(
    fc.property(fc.subarray(APPROVAL_FIELDS), (fields) => {
      const trip = lacking(fields);
      expect(Object.keys(approvalTripErrors(trip))).toEqual(fields);
      expect(Object.keys(proposalTripErrors(trip))).toEqual(
        PROPOSAL_FIELDS.filter((field) => fields.includes(field)),
      );
    }),
  );
});

test("a booking is refused if and only if a trip lacks a required value", () => {
  const refused = (message: string) => ({ title: "Incomplete Trips", message });
  fc.assert(
    fc.property(lacks, (perTrip) => {
      const trips = booking(perTrip.map(lacking));
      const lacked = perTrip.flat();
      const isProposal = lacked.every((field) => PROPOSAL_FIELDS.every((needed) => needed !== field));
      expect(proposalRefusal(trips)).toEqual(
        isProposal ? undefined : refused("Please complete all proposal trip details"),
      );
      const incomplete = "Please complete all trip details including approval-specific fields";
      expect(approvalRefusal("BP-001", trips)).toEqual(lacked.length > 0 ? refused(incomplete) : undefined);
    }),
  );
});

test.each(["route", "client"])("a missing %s is reported before incomplete trips", (field) => {
  const draft = { ...booking([emptyApprovalTrip()]), [field]: "" };
  const refusal = {
    title: "Missing Information",
    message: "Please select both route and client organization",
  };
  expect(proposalRefusal(draft)).toEqual(refusal);
  expect(approvalRefusal("BP-001", draft)).toEqual(refusal);
});

test("tonnage goes in tenths of a ton and the rate in cents, from 0 on", () => {
  fc.assert(
    fc.property(fc.nat({ max: 1_000_000 }), (steps) => {
      expect(proposalTripErrors({ ...completeTrip(), tonnage: String(steps / 10) })).toEqual({});
      expect(approvalTripErrors({ ...completeTrip(), transportRate: String(steps / 100) })).toEqual({});
    }),
  );
});

test.each(["-1", "12.34", "1e3", "many"])("the tonnage %o is refused", (tonnage) => {
  expect(proposalTripErrors({ ...completeTrip(), tonnage }).tonnage).toMatch(
    /^Tonnage \(tons\) must be 0 or more/,
  );
});

test("an approval starts from its proposal, without what only an approval knows, but for the places", () => {
  for (const proposal of sampleProposals) {
    const { route, client, trips } = approvalDraftOf(proposal);
    expect([route, client]).toEqual([proposal.route.id, proposal.clientOrganization]);
    expect(trips).toHaveLength(proposal.proposalTrips);
    for (const trip of trips) {
      expect(Object.keys(approvalTripErrors(trip))).toEqual(APPROVAL_FIELDS.slice(5, -2));
    }
  }
});
