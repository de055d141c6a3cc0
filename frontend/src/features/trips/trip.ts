/** What a trip can be; others are shown as they are. */
export type TripStatus = "Scheduled" | "In Transit" | "Completed" | "Delayed";

/** A trip as the list has it; dates are year-month-day text, and null is what is not known yet. */
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

/** A trip as its own area has it, in the specification's names (records). */
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

/** A place on the way; moments are RFC 3339. */
export interface Stop {
  place: string;
  purpose: string;
  /** By road from the place of loading, in km. */
  distance: number;
  planned: string;
  /** When the vehicle left it (or, at the last one, got there). */
  actual?: string;
}

export interface VehicleUnit {
  registration: string;
  kind: string;
  model: string;
  /** In tons; a horse carries nothing itself. */
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
  /** Missing as long as there is none. */
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
  /** Missing as long as it is open. */
  resolved?: string;
}

/** All that the trip's own pages show: the trip, and what has been recorded on the way. */
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
