import { expect, test } from "vitest";
import { driverDefinition } from "@/features/drivers/definition";
import { horseDefinition } from "@/features/horses/definition";
import { locationDefinition } from "@/features/locations/definition";
import { trailerDefinition } from "@/features/trailers/definition";
import { matchColumns, suggestionsFor } from "@/shared/import/matching";
import { targetsOf } from "@/shared/import/targets";
import type { RecordDefinition } from "@/shared/records";

type Expected = Readonly<Record<string, string | null>>;

const DRIVERS: Expected = {
  "Emp No": "id",
  "Employee ID": "id",
  "EMP. CODE": "id",
  "Staff No.": "id",
  Driver: "name",
  "Full Name": "name",
  "Name of Driver": "name",
  "Father's Name": "fatherName",
  "Fathers name": "fatherName",
  "E-mail": "email",
  "Email ID": "email",
  Mail: "email",
  "Mobile No": "mobile1",
  Phone: "mobile1",
  "Contact Number": "mobile1",
  "Driver Mobile No.": "mobile1",
  "Alternate Mobile": "mobile2",
  "Phone 2": "mobile2",
  Address: "address1",
  "Address Line 2": "address2",
  Town: "city",
  "Passport No.": "passportNumber",
  "Passport #": "passportNumber",
  Passport: "passportNumber",
  "Passport Valid Till": "passportValidUpTo",
  "PP Exp. Date": "passportValidUpTo",
  "Date of expiry of passport": "passportValidUpTo",
  "DL No": "licenseNumber",
  "Driving Licence Number": "licenseNumber",
  "Driver's License No.": "licenseNumber",
  "DL Validity": "licenseValidUpTo",
  "Licence Expiry": "licenseValidUpTo",
  "License expires on": "licenseValidUpTo",
  "A/c no": "bankAccount",
  "Account No.": "bankAccount",
  "Bank A/C Number": "bankAccount",
  Bank: "bankName",
  "Name of Bank": "bankName",
  "Branch Address": "bankAddress",
  IFSC: "ifscCode",
  "IFSC-Code": "ifscCode",
  SWIFT: "swiftCode",
  // Another fact than any field's, or several fields'.
  Expiry: null,
  "Valid Till": null,
  "Valid From": null,
  DOB: null,
  "Passport Issue Date": null,
  "License Type": null,
  "Emergency Contact": null,
  "Account Holder Name": null,
  "Bank No": null,
  "Bank Code": null,
  Branch: null,
  "Country Code": null,
  "Permanent Address": null,
  Number: null,
  "S. No.": null,
};

const HORSES: Expected = {
  "Horse ID": "id",
  "Truck No.": "identifier",
  "Reg. No.": "identifier",
  "Chassis No": "chassis_number",
  VIN: "chassis_number",
  "ENGINE NO.": "engine_number",
  Engine: "engine_number",
  "Owner Name": "owner",
  "Hired?": "hired",
  Remarks: "description",
  Model: null,
  "Engine Type": null,
};

const TRAILERS: Expected = {
  "Trailer ID": "id",
  "Reg No": "trailer_registration_number",
  "Regn. Number": "trailer_registration_number",
  "Number plate": "trailer_registration_number",
  "Trailer Type": "type",
  "Current location": "location",
  "Last service": "last_maintenance",
  "Capacity (t)": "capacity_tons",
  "No. of axles": "axles",
  Tires: "no_of_tyres",
  "Nos. of tyres": "no_of_tyres",
  Owner: "owner_name",
  Ownership: "ownership_type",
  "Date of purchase": "purchase_date",
  "Regd. Date": "registered_at",
  "Description-3": "description_3",
  Description: null,
  "Trailer No.": null,
  "Next service": null,
  "Insurance Expiry": null,
};

const LOCATIONS: Expected = {
  Location: "location_name",
  "Site name": "location_name",
  Lat: "lat",
  Lng: "longitude",
  "LONG.": "longitude",
  "PIN Code": "postalCode",
  Zip: "postalCode",
  Postcode: "postalCode",
  Province: "state",
  "Location type": "location_type",
  "Location Code": null,
  Address: null,
};

const KINDS: readonly (readonly [RecordDefinition, Expected])[] = [
  [driverDefinition, DRIVERS],
  [horseDefinition, HORSES],
  [trailerDefinition, TRAILERS],
  [locationDefinition, LOCATIONS],
];

const CASES = KINDS.flatMap(([definition, expected]) =>
  Object.entries(expected).map(([header, name]) => [definition.api.noun, header, name, definition] as const),
);

function sheetOf(header: string, values: readonly string[] = []) {
  const sample = values.map((value, at) => ({ number: at + 2, cells: [value] }));
  return { header: { number: 1, cells: [header] }, sample };
}

test.each(CASES)("a %s's column %s is %s", (noun, header, name, definition) => {
  expect(matchColumns(sheetOf(header), targetsOf(definition), noun)).toEqual([name]);
});

test.each([
  ["Bank Code", ["CNRB0000404"], "ifscCode"],
  ["Contact", ["a@example.com", "b@example.com"], "email"],
  ["Contact", ["+91 98765 43210"], "mobile1"],
  ["", ["cnrb0000404", "SBIN0001234"], "ifscCode"],
  ["Column 3", ["a@example.com"], "email"],
  // A document's number is no date, and any document may have a date.
  ["License", ["2031-03-31"], null],
  ["", ["2031-03-31"], null],
  ["Manager", ["a@example.com"], null],
])("a driver's column %s with the values %j is %s", (header, values, name) => {
  expect(matchColumns(sheetOf(header, values), targetsOf(driverDefinition), "driver")).toEqual([name]);
});

test("a trailer's number that looks like a registration is one", () => {
  const targets = targetsOf(trailerDefinition);
  const sheet = sheetOf("Trailer No.", ["KA 01 AB 1234"]);
  expect(matchColumns(sheet, targets, "trailer")).toEqual(["trailer_registration_number"]);
});

test.each([
  ["Expiry", [], ["Passport Valid Up To", "License Valid Up To"]],
  ["Permanent Address", [], ["Address 1", "Address 2"]],
  ["Manager", ["a@example.com"], ["Email"]],
  ["DOB", [], []],
])("the driver's open column %s with the values %j is perhaps %j", (header, values, labels) => {
  const targets = targetsOf(driverDefinition);
  const suggested = suggestionsFor(0, sheetOf(header, values), [null], targets, "driver");
  expect(suggested.map(({ label }) => label)).toEqual(labels);
});

test("a name's exact column is preferred to an alias, and no target is used twice", () => {
  const header = { number: 1, cells: ["Reg No", "Identifier", "Truck No"] };
  expect(matchColumns({ header, sample: [] }, targetsOf(horseDefinition), "horse")).toEqual([
    null,
    "identifier",
    null,
  ]);
});
