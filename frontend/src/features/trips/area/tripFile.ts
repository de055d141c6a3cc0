/**
 * The trip that the trip area shows for every id (spec, section 2), with the specification's member names, and its
 * records. Distances are in km by road from the place of loading, weights and capacities in tons, amounts in rupees (the
 * rate for the whole trip); moments are RFC 3339.
 */
export const tripFile = {
  trip: {
    id: "TRP-2026-001",
    trip_number: "TRP-2026-001",
    trailer: "NL 01 Q 7718",
    driver: "Rajesh Yadav",
    route: "Mumbai – Delhi by NH 48",
    commodity: "Steel",
    trailers: ["NL 01 Q 7718", "NL 01 Q 7719"],
    place_of_loading: "JNPT, Navi Mumbai",
    place_of_delivery: "Okhla, New Delhi",
    type_of_cargo: "Oversized Cargo",
    tonnage: 38.5,
    transport_rate: 142500,
    settlement_details: {
      settlement_loading_percentage: 70,
      settlement_loading_done: true,
      settlement_unloading_percentage: 30,
      settlement_unloading_done: false,
    },
    status: "In Transit",
    start_date: "2026-11-19",
    expected_delivery: "2026-11-22",
    client_name: "Bharat Steel",
  },
  driverPhone: "+91 98200 41763",
  vehicle: [
    { registration: "MH 43 BG 4417", kind: "Horse", model: "Tata Signa 5530.S" },
    { registration: "NL 01 Q 7718", kind: "Flatbed", model: "Two axles, 28 ft", capacity: 22 },
    { registration: "NL 01 Q 7719", kind: "Flatbed", model: "Two axles, 28 ft", capacity: 22 },
  ],
  stops: [
    stop("JNPT, Navi Mumbai", "Loading", 0, "19T06:30", "19T07:10"),
    stop("Surat, Gujarat", "Rest", 285, "19T13:30", "19T14:50"),
    stop("Vadodara, Gujarat", "Fuel, night halt", 432, "19T18:30", "19T19:40"),
    stop("Udaipur, Rajasthan", "Rest", 765, "20T14:30", "20T15:40"),
    stop("Jaipur, Rajasthan", "Night halt", 1160, "21T06:00"),
    stop("Gurugram, Haryana", "City no-entry hours", 1395, "21T16:00"),
    stop("Okhla, New Delhi", "Unloading", 1428, "22T01:30"),
  ],
  cargo: [
    { description: "Hot-rolled coil, 2.5 mm × 1,250 mm", pieces: 2, weight: 21.4 },
    { description: "Cold-rolled coil, 0.8 mm × 1,000 mm", pieces: 2, weight: 15.2 },
    { description: "Timber cradles and chocks", pieces: 8, weight: 1.9 },
  ],
  documents: [
    { name: "Lorry receipt", number: "LR-48213", received: "2026-11-19" },
    { name: "Tax invoice", number: "BST/26-27/1184", received: "2026-11-19" },
    { name: "E-way bill", number: "2714 0938 5562", received: "2026-11-19", validTo: "2026-11-27" },
    { name: "Weighbridge slip", number: "WB-77120", received: "2026-11-19" },
    { name: "Proof of delivery", number: "POD-48213" },
  ],
  events: [
    event("17T16:05", "Trip planned", "Anita Deshmukh, dispatch"),
    event("18T11:20", "Vehicle and driver assigned", "Anita Deshmukh, dispatch"),
    event("19T05:15", "Arrived at JNPT, Navi Mumbai", "Rajesh Yadav"),
    event("19T06:50", "Loaded and weighed: 38.5 tons", "Rajesh Yadav"),
    event("19T07:10", "Left JNPT, Navi Mumbai", "Rajesh Yadav"),
    event("19T11:30", "Loading settlement paid", "Suresh Iyer, accounts"),
    event("19T13:25", "Tyre repaired at Surat, Gujarat", "Rajesh Yadav"),
    event("19T19:40", "Fuelled at Vadodara, Gujarat", "Rajesh Yadav"),
    event("20T15:40", "Left Udaipur, Rajasthan", "Rajesh Yadav"),
  ],
  issues: [
    {
      id: "ISS-311",
      title: "Behind plan since Surat",
      detail: "The client expects the vehicle later on 22 November.",
      severity: "Medium",
      raised: moment("20T15:45"),
    },
    {
      id: "ISS-308",
      title: "Low pressure in a trailer tyre",
      detail: "NL 01 Q 7718, second axle, left. Repaired at the roadside in Surat; pressure holds.",
      severity: "High",
      raised: moment("19T12:35"),
      resolved: moment("19T13:25"),
    },
    {
      id: "ISS-306",
      title: "Gate pass came late",
      detail: "Departure from JNPT was 40 minutes after plan.",
      severity: "Low",
      raised: moment("19T06:40"),
      resolved: moment("19T07:10"),
    },
  ],
};

/** `19T06:30`: that day of November 2026 and time in India. */
function moment(dayAndTime: string): string {
  return `2026-11-${dayAndTime}:00+05:30`;
}

/** @param actual the departure, or the arrival at the last stop. */
function stop(place: string, purpose: string, distance: number, planned: string, actual?: string) {
  return { place, purpose, distance, planned: moment(planned), actual: actual && moment(actual) };
}

function event(at: string, what: string, who: string) {
  return { at: moment(at), what, who };
}
