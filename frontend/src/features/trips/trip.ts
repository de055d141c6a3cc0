import type { StatusTone } from "@/shared/ui";

export type TripStatus = "Scheduled" | "In Transit" | "Completed" | "Delayed";

/** A trip in the list. Dates are `YYYY-MM-DD`; null where nothing is assigned yet. */
export interface Trip {
  id: string;
  tripName: string;
  clientName: string;
  loadingPoint: string;
  deliveryPoint: string;
  status: TripStatus;
  driver: string | null;
  vehicle: string | null;
  startDate: string;
  expectedDelivery: string;
}

/** A trip in the trip area, with the specification's member names (records). */
export interface TripDetail {
  id: string;
  trip_number: string;
  trailer: string;
  driver: string;
  route: string;
  commodity: string;
  trailers: readonly string[];
  place_of_loading: string;
  place_of_delivery: string;
  type_of_cargo: string;
  /** In tons. */
  tonnage: number;
  /** In rupees, for the whole trip. */
  transport_rate: number;
  settlement_details: {
    settlement_loading_percentage: number;
    settlement_loading_done: boolean;
    settlement_unloading_percentage: number;
    settlement_unloading_done: boolean;
  };
  status: TripStatus;
  start_date: string;
  expected_delivery: string;
  client_name: string;
}

/** A stop of the trip; moments are RFC 3339. */
export interface Stop {
  place: string;
  purpose: string;
  /** By road from the place of loading, in km. */
  distance: number;
  planned: string;
  /** Departure, or the arrival at the last stop. */
  actual?: string;
}

export interface VehicleUnit {
  registration: string;
  kind: string;
  model: string;
  /** In tons; absent for a horse. */
  capacity?: number;
  fitnessValidTo: string;
  insuranceValidTo: string;
  permitValidTo: string;
}

export interface CargoItem {
  description: string;
  pieces: number;
  /** In tons. */
  weight: number;
}

export interface Expense {
  description: string;
  place: string;
  date: string;
  amount: number;
}

export interface TripDocument {
  name: string;
  number: string;
  /** Absent until the document has been received. */
  received?: string;
  validTo?: string;
}

export interface TripEvent {
  at: string;
  what: string;
  who: string;
}

export interface Issue {
  id: string;
  title: string;
  detail: string;
  severity: "high" | "medium" | "low";
  raised: string;
  /** Absent while the issue is open. */
  resolved?: string;
}

/** A trip with all its records, as the trip area shows them. */
export interface TripFile {
  trip: TripDetail;
  driverPhone: string;
  vehicle: readonly VehicleUnit[];
  stops: readonly Stop[];
  cargo: readonly CargoItem[];
  handling: readonly string[];
  expenses: readonly Expense[];
  documents: readonly TripDocument[];
  events: readonly TripEvent[];
  issues: readonly Issue[];
}

/** The address of a trip's area. */
export function tripPath(id: string): string {
  return `/trips/${encodeURIComponent(id)}`;
}

const TONES = new Map<string, StatusTone>([
  ["Scheduled", "warning"],
  ["In Transit", "info"],
  ["Completed", "success"],
  ["Delayed", "danger"],
]);

/** The colour of a status; neutral for an unknown one. */
export function tripTone(status: string): StatusTone {
  return TONES.get(status) ?? "neutral";
}

export interface Instalment {
  name: "Loading Settlement" | "Unloading Settlement";
  /** Of the transport rate. */
  percentage: number;
  /** In rupees. */
  amount: number;
  status: "Completed" | "Pending";
  tone: StatusTone;
}

/**
 * The two instalments of a trip's payment. The specification fixes their statuses (section 4): loading is Completed
 * and unloading Pending, whatever the trip's done flags are.
 */
export function instalments({ settlement_details, transport_rate }: TripDetail) {
  const { settlement_loading_percentage, settlement_unloading_percentage } = settlement_details;
  const part = (percentage: number) => ({ percentage, amount: (transport_rate * percentage) / 100 });
  return [
    {
      name: "Loading Settlement",
      ...part(settlement_loading_percentage),
      status: "Completed",
      tone: "success",
    },
    {
      name: "Unloading Settlement",
      ...part(settlement_unloading_percentage),
      status: "Pending",
      tone: "warning",
    },
  ] as const satisfies readonly Instalment[];
}

/** Steps to complete a trip, each with the page of the trip area where it is done. */
export function completionSteps({ trip, stops, documents, issues }: TripFile) {
  const [loading, unloading] = instalments(trip).map(({ status }) => status === "Completed");
  const route = { page: "tracking", pageName: "Route Tracking" };
  const settlement = { page: "settlement", pageName: "Settlement" };
  return [
    { label: `Left ${trip.place_of_loading}`, isDone: stops[0]?.actual !== undefined, ...route },
    { label: "Loading settlement paid", isDone: loading, ...settlement },
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
    { label: "Unloading settlement paid", isDone: unloading, ...settlement },
  ];
}

/** A trip's progress by road: distances in km, the last stop left, and the next one. */
export function tripProgress(stops: readonly Stop[]) {
  const total = stops.at(-1)?.distance ?? 0;
  const last = stops.findLast(({ actual }) => actual !== undefined);
  const next = stops[last === undefined ? 0 : stops.indexOf(last) + 1];
  const covered = last?.distance ?? 0;
  return { total, covered, remaining: total - covered, last, next };
}

/** Minutes of delay without a warning. */
const TOLERATED = 30;

/** A stop's delay against the plan, as a label and a colour. */
export function punctuality({ planned, actual }: Stop): { label: string; tone: StatusTone } {
  if (actual === undefined) return { label: "Ahead", tone: "neutral" };
  const minutes = Math.round((Date.parse(actual) - Date.parse(planned)) / 60_000);
  return { label: delayText(minutes), tone: minutes > TOLERATED ? "warning" : "success" };
}

/** `1h 10m late`, `5m early`, `On time`. */
function delayText(minutes: number): string {
  if (minutes === 0) return "On time";
  const amount = Math.abs(minutes);
  const hours = Math.floor(amount / 60);
  return `${hours > 0 ? `${hours}h ` : ""}${amount % 60}m ${minutes > 0 ? "late" : "early"}`;
}
