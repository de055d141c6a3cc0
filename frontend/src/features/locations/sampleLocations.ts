import type { LocationType, WireLocation } from "./definition";

type Sample = readonly [
  what: readonly [
    name: string,
    type: LocationType,
    capacity: string | null,
    status: "Active" | "Inactive" | "Maintenance",
  ],
  where: readonly [city: string, state: string, postalCode: string, lat: number, longitude: number],
  when: readonly [created: string, updated: string],
];

const SAMPLES: readonly Sample[] = [
  [
    ["Nhava Sheva Port Hub", "HUB", "450 TEU", "Active"],
    ["Navi Mumbai", "Maharashtra", "400707", 18.9498, 72.9512],
    ["2025-01-14T05:30:00Z", "2026-11-18T09:12:00Z"],
  ],
  [
    ["Delhi NCR Freight Hub", "HUB", "380 TEU", "Active"],
    ["Gurugram", "Haryana", "122001", 28.4595, 77.0266],
    ["2025-01-14T05:45:00Z", "2026-11-12T06:40:00Z"],
  ],
  [
    ["Bengaluru South Warehouse", "WAREHOUSE", "12,500 tons", "Active"],
    ["Bengaluru", "Karnataka", "560100", 12.8452, 77.6602],
    ["2025-02-03T08:20:00Z", "2026-10-29T11:05:00Z"],
  ],
  [
    ["Chennai Harbour Warehouse", "WAREHOUSE", "9,800 tons", "Maintenance"],
    ["Chennai", "Tamil Nadu", "600001", 13.0935, 80.2923],
    ["2025-02-19T04:10:00Z", "2026-11-20T13:30:00Z"],
  ],
  [
    ["Pune Chakan Yard", "REGULAR", "85 vehicles", "Active"],
    ["Pune", "Maharashtra", "410501", 18.7606, 73.8636],
    ["2025-03-07T10:00:00Z", "2026-09-16T07:55:00Z"],
  ],
  [
    ["Hyderabad Service Point", "SERVICE_POINT", "14 bays", "Active"],
    ["Hyderabad", "Telangana", "501218", 17.2403, 78.4294],
    ["2025-04-22T06:35:00Z", "2026-11-09T10:20:00Z"],
  ],
  [
    ["Jaipur Highway Service Point", "SERVICE_POINT", "8 bays", "Inactive"],
    ["Jaipur", "Rajasthan", "303007", 26.8467, 75.6479],
    ["2025-05-30T12:15:00Z", "2026-04-02T08:45:00Z"],
  ],
  [
    ["Kolkata Dankuni Warehouse", "WAREHOUSE", "7,200 tons", "Active"],
    ["Dankuni", "West Bengal", "712311", 22.6784, 88.2901],
    ["2025-07-11T09:25:00Z", "2026-11-05T05:50:00Z"],
  ],
  [
    ["Kochi Vallarpadam Terminal", "REGULAR", null, "Active"],
    ["Kochi", "Kerala", "682504", 9.9894, 76.2585],
    ["2026-02-16T07:40:00Z", "2026-08-27T12:00:00Z"],
  ],
];

/** Samples at the start of every list, unknown to the server. */
export const sampleLocations: readonly WireLocation[] = SAMPLES.map(
  (
    [
      [name, location_type, capacity, status],
      [city, state, postalCode, lat, longitude],
      [created_at, updated_at],
    ],
    index,
  ) => ({
    // Unlike every id of the server.
    id: `SAMPLE-LOC-${String(index + 1).padStart(2, "0")}`,
    name,
    lat,
    longitude,
    country: "India",
    location_type,
    attributes: { city, state, postalCode, status, capacity },
    created_at,
    updated_at,
  }),
);

export function findSampleLocation(id: string): WireLocation | undefined {
  return sampleLocations.find((location) => location.id === id);
}
