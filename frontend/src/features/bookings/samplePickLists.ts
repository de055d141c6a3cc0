/** Distances are in km, capacities in tons, ratings of 5, experience in years. */
export type PickLists = typeof samplePickLists;

/* Short names keep all columns of the approvals in view with the sidebar open. */

const routes = rows<[string, string, string, string, number]>(
  ["RT-001", "Mumbai - Delhi", "Mumbai", "Delhi", 1420],
  ["RT-002", "Chennai - Bengaluru", "Chennai", "Bengaluru", 350],
  ["RT-003", "Nhava Sheva - Nagpur", "Nhava Sheva", "Nagpur", 860],
  ["RT-004", "Mundra - Ludhiana", "Mundra", "Ludhiana", 1290],
  ["RT-005", "Visakhapatnam - Raipur", "Visakhapatnam", "Raipur", 540],
  ["RT-006", "Hyderabad - Pune", "Hyderabad", "Pune", 560],
  ["RT-007", "Jamshedpur - Kanpur", "Jamshedpur", "Kanpur", 870],
  ["RT-008", "Paradip - Rourkela", "Paradip", "Rourkela", 380],
  ["RT-009", "Kandla - Jaipur", "Kandla", "Jaipur", 760],
  ["RT-010", "Kochi - Coimbatore", "Kochi", "Coimbatore", 190],
  ["RT-011", "Ahmedabad - Indore", "Ahmedabad", "Indore", 395],
  ["RT-012", "Kolkata - Guwahati", "Kolkata", "Guwahati", 1030],
).map(([id, name, startLocation, endLocation, distance]) => ({
  id,
  name,
  startLocation,
  endLocation,
  distance,
}));

const clients = rows<[string, string, string, number]>(
  ["CL-001", "Sahyadri Steel Works", "Pune", 4.7],
  ["CL-002", "Konkan Cement", "Ratnagiri", 4.4],
  ["CL-003", "Deccan Agro Foods", "Hyderabad", 4.6],
  ["CL-004", "Malwa Textiles", "Indore", 4.1],
  ["CL-005", "Coromandel Chemicals", "Visakhapatnam", 4.5],
  ["CL-006", "Ganga Valley Grain", "Kanpur", 3.9],
  ["CL-007", "Kaveri Electronics", "Bengaluru", 4.8],
  ["CL-008", "Saurashtra Petroleum", "Jamnagar", 4.3],
  ["CL-009", "Utkal Coal", "Bhubaneswar", 4.2],
  ["CL-010", "Pallava Auto Parts", "Chennai", 4.6],
).map(([id, name, location, rating]) => ({ id, name, location, rating }));

const horses = rows<[string, string, string, number]>(
  ["HR-001", "MH 12 QT 4521", "Tata Signa 5530.S", 40],
  ["HR-002", "MH 43 BX 7810", "Ashok Leyland AN 5532", 42],
  ["HR-003", "GJ 12 AZ 3364", "BharatBenz 5528TT", 40],
  ["HR-004", "TN 09 CK 1187", "Volvo FM 420", 45],
  ["HR-005", "KA 51 D 9042", "Scania G 410", 45],
  ["HR-006", "AP 31 TV 2276", "Tata Prima 5530.S", 41],
  ["HR-007", "RJ 14 GH 6653", "Eicher Pro 6055", 38],
  ["HR-008", "WB 23 E 5509", "Mahindra Blazo X 55", 40],
  ["HR-009", "OD 05 BC 8841", "Tata Signa 4623.S", 35],
  ["HR-010", "HR 55 AN 1470", "BharatBenz 4028TT", 32],
).map(([id, name, model, capacity]) => ({ id, name, model, capacity }));

/** Four of each type: enough for one each on a proposal's four trips. */
const trailers = rows<[string, string, string, number]>(
  ["TL-001", "40 ft Container 01", "Container", 28],
  ["TL-002", "40 ft Container 02", "Container", 28],
  ["TL-003", "40 ft Container 03", "Container", 28],
  ["TL-004", "20 ft Container 04", "Container", 22],
  ["TL-005", "3-Axle Flatbed 05", "Flatbed", 34],
  ["TL-006", "3-Axle Flatbed 06", "Flatbed", 34],
  ["TL-007", "4-Axle Flatbed 07", "Flatbed", 36],
  ["TL-008", "4-Axle Flatbed 08", "Flatbed", 36],
  ["TL-009", "Stainless Tanker 09", "Tanker", 29],
  ["TL-010", "Stainless Tanker 10", "Tanker", 29],
  ["TL-011", "Stainless Tanker 11", "Tanker", 24],
  ["TL-012", "Stainless Tanker 12", "Tanker", 24],
  ["TL-013", "40 ft Reefer 13", "Refrigerated", 21],
  ["TL-014", "40 ft Reefer 14", "Refrigerated", 21],
  ["TL-015", "45 ft Reefer 15", "Refrigerated", 24],
  ["TL-016", "45 ft Reefer 16", "Refrigerated", 24],
  ["TL-017", "Rear Tipper 17", "Tipper", 32],
  ["TL-018", "Rear Tipper 18", "Tipper", 32],
  ["TL-019", "Side Tipper 19", "Tipper", 30],
  ["TL-020", "Side Tipper 20", "Tipper", 30],
  ["TL-021", "4-Axle Low Bed 21", "Low Bed", 40],
  ["TL-022", "4-Axle Low Bed 22", "Low Bed", 40],
  ["TL-023", "3-Axle Low Bed 23", "Low Bed", 36],
  ["TL-024", "3-Axle Low Bed 24", "Low Bed", 36],
).map(([id, name, type, capacity]) => ({ id, name, type, capacity }));

const drivers = rows<[string, string, string, number, number]>(
  ["DR-001", "Rajesh Kumar", "MH12 20080034571", 15, 4.8],
  ["DR-002", "Suresh Patil", "MH43 20110021984", 12, 4.5],
  ["DR-003", "Harpreet Singh", "PB10 20060019342", 19, 4.9],
  ["DR-004", "Murugan Selvam", "TN09 20140056120", 10, 4.3],
  ["DR-005", "Venkatesh Rao", "AP31 20120047765", 13, 4.6],
  ["DR-006", "Imran Shaikh", "GJ01 20150038806", 9, 4.2],
  ["DR-007", "Biswajit Das", "WB23 20100062297", 14, 4.4],
  ["DR-008", "Ramesh Yadav", "UP78 20090015038", 16, 4.7],
  ["DR-009", "Prakash Nayak", "OD05 20170023411", 7, 4.0],
  ["DR-010", "Mohammed Rafi", "KA51 20130070852", 11, 4.6],
).map(([id, name, licence, experience, rating]) => ({ id, name, licence, experience, rating }));

/** What bookings choose from. */
export const samplePickLists = { routes, clients, horses, trailers, drivers };

function rows<Row>(...all: readonly Row[]): readonly Row[] {
  return all;
}
