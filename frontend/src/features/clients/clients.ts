export type ClientStatus = "Active" | "Inactive" | "Pending" | "Suspended";

/** A client (spec, section 3). Amounts are in rupees, days `YYYY-MM-DD`. */
export interface Client {
  id: string;
  companyName: string;
  contactPerson: string;
  email: string;
  phone: string;
  address: string;
  city: string;
  status: ClientStatus;
  joinDate: string;
  totalBookings: number;
  creditLimit: number;
  outstandingAmount: number;
}

export function clientSearchFields(client: Client): readonly string[] {
  return [client.companyName, client.contactPerson, client.email, client.city];
}

/** Whether a client owes more than 80 % of the credit limit. */
export function isNearCreditLimit({ creditLimit, outstandingAmount }: Client): boolean {
  // In integers, because 0.8 is not exact in floating point.
  return outstandingAmount * 100 > creditLimit * 80;
}

interface Sample extends Pick<Client, "companyName" | "status"> {
  contact: readonly [contactPerson: string, email: string, phone: string];
  place: readonly [address: string, city: string];
  account: readonly [joinDate: string, totalBookings: number, creditLimit: number, outstandingAmount: number];
}

const SAMPLES: readonly Sample[] = [
  {
    companyName: "Deccan Steel & Alloys Ltd",
    status: "Active",
    contact: ["Meera Kulkarni", "meera.kulkarni@deccansteel.example", "+91 98220 41750"],
    place: ["Plot 17, MIDC Bhosari", "Pune"],
    account: ["2021-04-12", 184, 5_000_000, 2_340_000],
  },
  {
    companyName: "Konkan Cement Works",
    status: "Active",
    contact: ["Rajesh Sawant", "dispatch@konkancement.example", "+91 98190 62314"],
    place: ["Survey 88, Taloja Industrial Area", "Navi Mumbai"],
    account: ["2022-01-20", 142, 3_500_000, 3_120_000],
  },
  {
    companyName: "Cauvery Agro Exports",
    status: "Active",
    contact: ["Lakshmi Narayanan", "lakshmi@cauveryagro.example", "+91 94430 18827"],
    place: ["14 Mill Road, R S Puram", "Coimbatore"],
    account: ["2020-09-01", 231, 4_000_000, 3_200_000],
  },
  {
    companyName: "Gulf of Kutch Petroleum Logistics and Bunkering Services Pvt Ltd",
    status: "Pending",
    contact: ["Hardik Jadeja", "hardik.jadeja@kutchpetroleum.example", "+91 99250 73316"],
    place: ["Terminal Road, Sector 8", "Gandhidham"],
    account: ["2026-10-28", 0, 6_000_000, 0],
  },
  {
    companyName: "Bengal Jute & Textiles",
    status: "Inactive",
    contact: ["Anirban Chatterjee", "anirban@bengaljute.example", "+91 98300 55124"],
    place: ["36 Strand Road", "Kolkata"],
    account: ["2019-07-15", 67, 1_500_000, 0],
  },
  {
    companyName: "Aravalli Marble Traders",
    status: "Suspended",
    contact: ["Vikram Singh Rathore", "vikram@aravallimarble.example", "+91 94140 20983"],
    place: ["NH 48, Sukher", "Udaipur"],
    account: ["2021-11-03", 58, 1_200_000, 1_365_000],
  },
  {
    companyName: "Sabarmati Pharmaceuticals",
    status: "Active",
    contact: ["Nisha Patel", "nisha.patel@sabarmatipharma.example", "+91 98980 31470"],
    place: ["GIDC Phase II, Vatva", "Ahmedabad"],
    account: ["2023-02-08", 96, 2_500_000, 845_000],
  },
  {
    companyName: "Malabar Spice Company",
    status: "Active",
    contact: ["Thomas Kurian", "thomas@malabarspice.example", "+91 98470 66209"],
    place: ["Jew Town Road, Mattancherry", "Kochi"],
    account: ["2022-06-17", 113, 1_800_000, 1_512_000],
  },
  {
    companyName: "Charminar Electronics",
    status: "Active",
    contact: ["Syed Imran", "logistics@charminarelectronics.example", "+91 99490 12875"],
    place: ["Electronics Park, Raviryal", "Hyderabad"],
    account: ["2024-03-25", 49, 3_000_000, 1_275_500],
  },
  {
    companyName: "Doaba Food Grains",
    status: "Active",
    contact: ["Harpreet Kaur", "harpreet@doabagrains.example", "+91 98150 47702"],
    place: ["New Grain Market, Jalandhar Bypass", "Ludhiana"],
    account: ["2020-12-11", 207, 2_800_000, 960_000],
  },
  {
    companyName: "Vaigai Auto Components",
    status: "Pending",
    contact: ["Senthil Murugan", "senthil@vaigaiauto.example", "+91 94440 83561"],
    place: ["SIPCOT Industrial Park, Oragadam", "Chennai"],
    account: ["2026-11-10", 2, 2_000_000, 118_000],
  },
  {
    companyName: "Orange City Machinery",
    status: "Inactive",
    contact: ["Prakash Deshmukh", "prakash@orangecitymachinery.example", "+91 97660 25498"],
    place: ["Butibori Industrial Area", "Nagpur"],
    account: ["2021-08-30", 31, 900_000, 64_000],
  },
];

export const sampleClients: readonly Client[] = SAMPLES.map(({ contact, place, account, ...rest }, index) => {
  const [contactPerson, email, phone] = contact;
  const [address, city] = place;
  const [joinDate, totalBookings, creditLimit, outstandingAmount] = account;
  return {
    id: `CLT-${String(index + 1).padStart(3, "0")}`,
    ...rest,
    ...{ contactPerson, email, phone, address, city },
    ...{ joinDate, totalBookings, creditLimit, outstandingAmount },
  };
});
