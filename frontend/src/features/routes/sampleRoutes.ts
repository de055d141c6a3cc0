import { total } from "@/shared/format/total";
import type { RouteStatus, TransportRoute } from "./route";

/** Destination, kilometres, estimated and actual minutes (null: not driven), type of road. */
type Leg = readonly [to: string, km: number, estimated: number, actual: number | null, road: string];

interface Sample {
  id: string;
  name: string;
  description: string;
  status: RouteStatus;
  createdDate: string;
  lastUsed: string | null;
  start: string;
  legs: readonly Leg[];
}

/** Consumption of a loaded articulated truck. */
const LITRES_PER_KM = 0.36;

/** A route with the totals of its legs. */
function routeOf({ start, legs, ...known }: Sample): TransportRoute {
  const segments = legs.map(([to, distance, estimatedTime, actualTime, roadType], index) => {
    const from = legs[index - 1]?.[0] ?? start;
    return { from, to, distance, estimatedTime, actualTime, roadType };
  });
  const totalDistance = total(segments.map(({ distance }) => distance));
  return {
    ...known,
    startLocation: start,
    endLocation: segments.at(-1)?.to ?? start,
    stops: segments.length,
    totalDistance,
    estimatedTime: total(segments.map(({ estimatedTime }) => estimatedTime)),
    fuelConsumption: Math.round(totalDistance * LITRES_PER_KM),
    segments,
  };
}

const SAMPLES: readonly Sample[] = [
  {
    id: "RT-001",
    name: "Western Corridor Express",
    description: "Port containers from Nhava Sheva to the inland depots around Delhi.",
    status: "active",
    createdDate: "2025-02-10",
    lastUsed: "2026-11-19",
    start: "Mumbai",
    legs: [
      ["Surat", 284, 330, 352, "NH 48"],
      ["Ahmedabad", 263, 290, 281, "NH 48"],
      ["Udaipur", 262, 315, 340, "NH 48"],
      ["Jaipur", 393, 440, 436, "NH 48"],
      ["Delhi", 281, 330, 371, "NH 48"],
    ],
  },
  {
    id: "RT-002",
    name: "Deccan Link",
    description: "Steel and machinery between Pune and Bengaluru.",
    status: "active",
    createdDate: "2025-03-04",
    lastUsed: "2026-11-20",
    start: "Pune",
    legs: [
      ["Kolhapur", 232, 260, 268, "NH 48"],
      ["Hubballi", 205, 230, 224, "NH 48"],
      ["Bengaluru", 410, 450, 489, "NH 48"],
    ],
  },
  {
    id: "RT-003",
    name: "Coromandel Coastal",
    description: "Along the east coast, with a stop at the port of Visakhapatnam.",
    status: "active",
    createdDate: "2025-05-21",
    lastUsed: "2026-11-16",
    start: "Chennai",
    legs: [
      ["Nellore", 175, 190, 186, "NH 16"],
      ["Vijayawada", 279, 310, 322, "NH 16"],
      ["Visakhapatnam", 350, 405, 430, "NH 16"],
      ["Bhubaneswar", 443, 510, 538, "NH 16"],
      ["Kolkata", 441, 530, 565, "NH 16"],
    ],
  },
  {
    id: "RT-004",
    name: "Mumbai–Pune Shuttle",
    description: "",
    status: "active",
    createdDate: "2024-11-15",
    lastUsed: "2026-11-21",
    start: "Mumbai",
    legs: [["Pune", 148.5, 195, 210, "Expressway"]],
  },
  {
    id: "RT-005",
    name: "Orange City Connector",
    description: "Food grains from Nagpur to the markets of Hyderabad.",
    status: "active",
    createdDate: "2025-08-02",
    lastUsed: "2026-11-12",
    start: "Nagpur",
    legs: [
      ["Adilabad", 197, 235, 241, "NH 44"],
      ["Hyderabad", 304, 350, 345, "NH 44"],
    ],
  },
  {
    id: "RT-006",
    name: "Ghat Crossing",
    description: "Tankers from the refinery at Kochi over the Palakkad gap.",
    status: "maintenance",
    createdDate: "2025-01-28",
    lastUsed: "2026-09-30",
    start: "Kochi",
    legs: [
      ["Palakkad", 142, 195, 236, "NH 544"],
      ["Coimbatore", 54, 75, 82, "NH 544"],
      ["Salem", 168, 190, 184, "NH 544"],
    ],
  },
  {
    id: "RT-007",
    name: "Grand Trunk North",
    description: "From Delhi to the grain markets of Punjab.",
    status: "active",
    createdDate: "2025-06-17",
    lastUsed: "2026-11-18",
    start: "Delhi",
    legs: [
      ["Ambala", 199, 235, 229, "NH 44"],
      ["Ludhiana", 113, 130, 141, "NH 44"],
      ["Amritsar", 140, 165, 162, "NH 3"],
    ],
  },
  {
    id: "RT-008",
    name: "Ganga Plain Freight",
    description: "Textiles and cement across Uttar Pradesh and Bihar.",
    status: "inactive",
    createdDate: "2024-09-09",
    lastUsed: "2026-03-27",
    start: "Lucknow",
    legs: [
      ["Varanasi", 313, 375, 398, "NH 731"],
      ["Patna", 258, 345, 371, "NH 319"],
    ],
  },
  {
    id: "RT-009",
    name: "Kutch Salt Road",
    description: "Bulk salt from the pans of Gandhidham to Ahmedabad.",
    status: "active",
    createdDate: "2025-10-06",
    lastUsed: "2026-11-14",
    start: "Gandhidham",
    legs: [
      ["Morbi", 132.5, 160, 158, "NH 41"],
      ["Ahmedabad", 216, 265, 270, "State highway"],
    ],
  },
  {
    id: "RT-010",
    name: "Malwa Gateway",
    description: "Soybean from Indore to the port; planned for the next harvest.",
    status: "inactive",
    createdDate: "2026-11-02",
    lastUsed: null,
    start: "Indore",
    legs: [
      ["Nashik", 410, 480, null, "NH 52"],
      ["Mumbai", 167, 225, null, "NH 160"],
    ],
  },
  {
    id: "RT-011",
    name: "Bengaluru–Chennai Industrial Corridor Night Express",
    description: "Automotive parts by night, for the first shift.",
    status: "active",
    createdDate: "2025-04-14",
    lastUsed: "2026-11-20",
    start: "Bengaluru",
    legs: [
      ["Vellore", 211, 235, 228, "NH 48"],
      ["Chennai", 139, 175, 183, "NH 48"],
    ],
  },
];

export const sampleRoutes: readonly TransportRoute[] = SAMPLES.map(routeOf);
