import type { Client, Driver, Horse, PickLists, Route, Trailer } from "./entities";

/* Short names keep all columns of the approvals in view with the sidebar open. */

const routes: readonly Route[] = [
  route("RT-001", "Mumbai - Delhi", "Mumbai", "Delhi", 1420),
  route("RT-002", "Chennai - Bengaluru", "Chennai", "Bengaluru", 350),
  route("RT-003", "Nhava Sheva - Nagpur", "Nhava Sheva", "Nagpur", 860),
  route("RT-004", "Mundra - Ludhiana", "Mundra", "Ludhiana", 1290),
  route("RT-005", "Visakhapatnam - Raipur", "Visakhapatnam", "Raipur", 540),
  route("RT-006", "Hyderabad - Pune", "Hyderabad", "Pune", 560),
  route("RT-007", "Jamshedpur - Kanpur", "Jamshedpur", "Kanpur", 870),
  route("RT-008", "Paradip - Rourkela", "Paradip", "Rourkela", 380),
  route("RT-009", "Kandla - Jaipur", "Kandla", "Jaipur", 760),
  route("RT-010", "Kochi - Coimbatore", "Kochi", "Coimbatore", 190),
  route("RT-011", "Ahmedabad - Indore", "Ahmedabad", "Indore", 395),
  route("RT-012", "Kolkata - Guwahati", "Kolkata", "Guwahati", 1030),
];

const clients: readonly Client[] = [
  client("CL-001", "Sahyadri Steel Works", "Pune", 4.7),
  client("CL-002", "Konkan Cement", "Ratnagiri", 4.4),
  client("CL-003", "Deccan Agro Foods", "Hyderabad", 4.6),
  client("CL-004", "Malwa Textiles", "Indore", 4.1),
  client("CL-005", "Coromandel Chemicals", "Visakhapatnam", 4.5),
  client("CL-006", "Ganga Valley Grain", "Kanpur", 3.9),
  client("CL-007", "Kaveri Electronics", "Bengaluru", 4.8),
  client("CL-008", "Saurashtra Petroleum", "Jamnagar", 4.3),
  client("CL-009", "Utkal Coal", "Bhubaneswar", 4.2),
  client("CL-010", "Pallava Auto Parts", "Chennai", 4.6),
];

const horses: readonly Horse[] = [
  horse("HR-001", "MH 12 QT 4521", "Tata Signa 5530.S", 40),
  horse("HR-002", "MH 43 BX 7810", "Ashok Leyland AN 5532", 42),
  horse("HR-003", "GJ 12 AZ 3364", "BharatBenz 5528TT", 40),
  horse("HR-004", "TN 09 CK 1187", "Volvo FM 420", 45),
  horse("HR-005", "KA 51 D 9042", "Scania G 410", 45),
  horse("HR-006", "AP 31 TV 2276", "Tata Prima 5530.S", 41),
  horse("HR-007", "RJ 14 GH 6653", "Eicher Pro 6055", 38),
  horse("HR-008", "WB 23 E 5509", "Mahindra Blazo X 55", 40),
  horse("HR-009", "OD 05 BC 8841", "Tata Signa 4623.S", 35),
  horse("HR-010", "HR 55 AN 1470", "BharatBenz 4028TT", 32),
];

/** Four of each type: enough for one each on a proposal's four trips. */
const trailers: readonly Trailer[] = [
  trailer("TL-001", "40 ft Container 01", "Container", 28),
  trailer("TL-002", "40 ft Container 02", "Container", 28),
  trailer("TL-003", "40 ft Container 03", "Container", 28),
  trailer("TL-004", "20 ft Container 04", "Container", 22),
  trailer("TL-005", "3-Axle Flatbed 05", "Flatbed", 34),
  trailer("TL-006", "3-Axle Flatbed 06", "Flatbed", 34),
  trailer("TL-007", "4-Axle Flatbed 07", "Flatbed", 36),
  trailer("TL-008", "4-Axle Flatbed 08", "Flatbed", 36),
  trailer("TL-009", "Stainless Tanker 09", "Tanker", 29),
  trailer("TL-010", "Stainless Tanker 10", "Tanker", 29),
  trailer("TL-011", "Stainless Tanker 11", "Tanker", 24),
  trailer("TL-012", "Stainless Tanker 12", "Tanker", 24),
  trailer("TL-013", "40 ft Reefer 13", "Refrigerated", 21),
  trailer("TL-014", "40 ft Reefer 14", "Refrigerated", 21),
  trailer("TL-015", "45 ft Reefer 15", "Refrigerated", 24),
  trailer("TL-016", "45 ft Reefer 16", "Refrigerated", 24),
  trailer("TL-017", "Rear Tipper 17", "Tipper", 32),
  trailer("TL-018", "Rear Tipper 18", "Tipper", 32),
  trailer("TL-019", "Side Tipper 19", "Tipper", 30),
  trailer("TL-020", "Side Tipper 20", "Tipper", 30),
  trailer("TL-021", "4-Axle Low Bed 21", "Low Bed", 40),
  trailer("TL-022", "4-Axle Low Bed 22", "Low Bed", 40),
  trailer("TL-023", "3-Axle Low Bed 23", "Low Bed", 36),
  trailer("TL-024", "3-Axle Low Bed 24", "Low Bed", 36),
];

const drivers: readonly Driver[] = [
  driver("DR-001", "Rajesh Kumar", "MH12 20080034571", 15, 4.8),
  driver("DR-002", "Suresh Patil", "MH43 20110021984", 12, 4.5),
  driver("DR-003", "Harpreet Singh", "PB10 20060019342", 19, 4.9),
  driver("DR-004", "Murugan Selvam", "TN09 20140056120", 10, 4.3),
  driver("DR-005", "Venkatesh Rao", "AP31 20120047765", 13, 4.6),
  driver("DR-006", "Imran Shaikh", "GJ01 20150038806", 9, 4.2),
  driver("DR-007", "Biswajit Das", "WB23 20100062297", 14, 4.4),
  driver("DR-008", "Ramesh Yadav", "UP78 20090015038", 16, 4.7),
  driver("DR-009", "Prakash Nayak", "OD05 20170023411", 7, 4.0),
  driver("DR-010", "Mohammed Rafi", "KA51 20130070852", 11, 4.6),
];

/** What bookings choose from, until there is an API for it. */
export const samplePickLists: PickLists = { routes, clients, horses, trailers, drivers };

function route(
  id: string,
  name: string,
  startLocation: string,
  endLocation: string,
  distance: number,
): Route {
  return { id, name, startLocation, endLocation, distance };
}

function client(id: string, name: string, location: string, rating: number): Client {
  return { id, name, location, rating };
}

function horse(id: string, name: string, model: string, capacity: number): Horse {
  return { id, name, model, capacity };
}

function trailer(id: string, name: string, type: string, capacity: number): Trailer {
  return { id, name, type, capacity };
}

function driver(id: string, name: string, licence: string, experience: number, rating: number): Driver {
  return { id, name, licence, experience, rating };
}
