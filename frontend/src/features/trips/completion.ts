import { instalments } from "./settlement";
import type { TripFile } from "./trip";

export interface CompletionStep {
  label: string;
  isDone: boolean;
  /** The page of the trip area where it is seen to. */
  page: string;
  pageName: string;
}

/** What has to be done before a trip is complete, in the order of the road. */
export function completionSteps({ trip, stops, documents, issues }: TripFile): readonly CompletionStep[] {
  const [loading, unloading] = instalments(trip);
  const route = { page: "tracking", pageName: "Route Tracking" };
  const settlement = { page: "settlement", pageName: "Settlement" };
  return [
    { label: `Left ${trip.place_of_loading}`, isDone: stops[0]?.actual !== undefined, ...route },
    { label: "Loading settlement paid", isDone: loading.status === "Completed", ...settlement },
    { label: `Arrived at ${trip.place_of_delivery}`, isDone: stops.at(-1)?.actual !== undefined, ...route },
    {
      label: "All documents received",
      isDone: documents.every(({ received }) => received !== undefined),
      page: "documents",
      pageName: "Documents",
    },
    {
      label: "All issues resolved",
      isDone: issues.every(({ resolved }) => resolved !== undefined),
      page: "alerts",
      pageName: "Issues & Alerts",
    },
    { label: "Unloading settlement paid", isDone: unloading.status === "Completed", ...settlement },
  ];
}
