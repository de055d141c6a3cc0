import type { StatusTone } from "@/shared/ui";

export type SubcontractorStatus = "active" | "inactive" | "pending";

/** A subcontractor (spec, section 3). The contract value is in rupees, the rating from 0 to 5. */
export interface Subcontractor {
  id: string;
  name: string;
  company: string;
  email: string;
  phone: string;
  location: string;
  rating: number;
  specialization: string;
  status: SubcontractorStatus;
  contractValue: number;
  completedJobs: number;
}

export const STATUS_LOOKS: Readonly<Record<SubcontractorStatus, { label: string; tone: StatusTone }>> = {
  active: { label: "Active", tone: "success" },
  inactive: { label: "Inactive", tone: "neutral" },
  pending: { label: "Pending", tone: "warning" },
};

export function subcontractorSearchFields(subcontractor: Subcontractor): readonly string[] {
  return [subcontractor.name, subcontractor.company, subcontractor.specialization];
}

interface Sample extends Pick<Subcontractor, "name" | "company" | "status"> {
  contact: readonly [email: string, phone: string, location: string];
  work: readonly [specialization: string, rating: number, contractValue: number, completedJobs: number];
}

const SAMPLES: readonly Sample[] = [
  {
    name: "Gurpreet Singh",
    company: "Singh Heavy Haulage",
    status: "active",
    contact: ["gurpreet@singhhaulage.example", "+91 98140 22671", "Ludhiana, Punjab"],
    work: ["Heavy Machinery", 5, 8_450_000, 312],
  },
  {
    name: "Fatima Sheikh",
    company: "Nhava Sheva Container Lines",
    status: "active",
    contact: ["fatima@nhavacontainer.example", "+91 98200 91834", "Navi Mumbai, Maharashtra"],
    work: ["Container Transport", 4.8, 12_300_000, 478],
  },
  {
    name: "Karthik Subramanian",
    company: "Coromandel Cold Chain",
    status: "active",
    contact: ["karthik@coromandelcold.example", "+91 94440 36120", "Chennai, Tamil Nadu"],
    work: ["Refrigerated Transport", 4.5, 6_780_000, 205],
  },
  {
    name: "Bhavesh Solanki",
    company: "Saurashtra Tankers",
    status: "active",
    contact: ["bhavesh@saurashtratankers.example", "+91 99090 58843", "Jamnagar, Gujarat"],
    work: ["Liquid Bulk", 4, 9_120_000, 264],
  },
  {
    name: "Sunita Mahato",
    company: "Jharia Coal Carriers",
    status: "inactive",
    contact: ["sunita@jhariacarriers.example", "+91 94311 70952", "Dhanbad, Jharkhand"],
    work: ["Dry Bulk", 3.9, 3_560_000, 141],
  },
  {
    name: "Abdul Rahman Khan",
    company: "Golconda Hazardous Goods Transport and Industrial Services Pvt Ltd",
    status: "pending",
    contact: ["abdul.rahman@golcondahazmat.example", "+91 98490 15287", "Hyderabad, Telangana"],
    work: ["Hazardous Materials", 4.2, 5_000_000, 0],
  },
  {
    name: "Joseph Fernandes",
    company: "Mandovi Movers",
    status: "active",
    contact: ["joseph@mandovimovers.example", "+91 98221 43096", "Vasco da Gama, Goa"],
    work: ["Iron Ore", 3, 2_240_000, 88],
  },
  {
    name: "Ritu Sharma",
    company: "Aravalli Express Cargo",
    status: "active",
    contact: ["ritu@aravalliexpress.example", "+91 98290 67415", "Jaipur, Rajasthan"],
    work: ["Express Parcels", 4.6, 4_875_000, 356],
  },
  {
    name: "Debashish Das",
    company: "Hooghly Flatbeds",
    status: "inactive",
    contact: ["debashish@hooghlyflatbeds.example", "+91 98310 28764", "Howrah, West Bengal"],
    work: ["Steel Coils", 2.7, 1_950_000, 53],
  },
];

export const sampleSubcontractors: readonly Subcontractor[] = SAMPLES.map(
  ({ contact, work, ...rest }, index) => {
    const [email, phone, location] = contact;
    const [specialization, rating, contractValue, completedJobs] = work;
    return {
      id: `SUB-${String(index + 1).padStart(3, "0")}`,
      ...rest,
      ...{ email, phone, location },
      ...{ specialization, rating, contractValue, completedJobs },
    };
  },
);
