import { type ApprovalTripDraft, emptyApprovalTrip } from "../drafts";

/** A trip that lacks nothing, neither for a proposal nor for an approval. */
export function completeTrip(): ApprovalTripDraft {
  return {
    ...emptyApprovalTrip(),
    horse: "HR-001",
    trailers: ["TL-001"],
    driver: "DR-001",
    tonnage: "24.5",
    eta: "2-3 days",
    transportRate: "48.25",
    commodity: "steel",
    cargoType: "oversized",
    transitTime: "3 days",
    placeOfLoading: "Nhava Sheva Port Terminal",
    placeOfDelivery: "Nagpur Inland Depot",
  };
}
