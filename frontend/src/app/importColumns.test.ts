import { expect, test } from "vitest";
import { driverDefinition } from "@/features/drivers/definition";
import { horseDefinition } from "@/features/horses/definition";
import { locationDefinition } from "@/features/locations/definition";
import { trailerDefinition } from "@/features/trailers/definition";
import { matchColumns, suggestionsFor } from "@/shared/import/matching";
import { targetsOf } from "@/shared/import/targets";
import type { RecordDefinition } from "@/shared/records";

/** Headers of a file by the field that they mean; `none`: no field. */
type Expected = Readonly<Record<string, readonly string[]>>;

const DRIVERS: Expected = {
  id: ["Emp No", "Employee ID", "EMP. CODE", "Staff No."],
  name: ["Driver", "Full Name", "Name of Driver"],
  fatherName: ["Father's Name", "Fathers name"],
  email: ["E-mail", "Email ID", "Mail"],
  mobile1: ["Mobile No", "Phone", "Contact Number", "Driver Mobile No."],
  mobile2: ["Alternate Mobile", "Phone 2"],
  address1: ["Address"],
  address2: ["Address Line 2"],
  city: ["Town"],
  passportNumber: ["Passport No.", "Passport #", "Passport"],
  passportValidUpTo: ["Passport Valid Till", "PP Exp. Date", "Date of expiry of passport"],
  licenseNumber: ["DL No", "Driving Licence Number", "Driver's License No."],
  licenseValidUpTo: ["DL Validity", "Licence Expiry", "License expires on"],
  bankAccount: ["A/c no", "Account No.", "Bank A/C Number"],
  bankName: ["Bank", "Name of Bank"],
  bankAddress: ["Branch Address"],
  ifscCode: ["IFSC", "IFSC-Code"],
  swiftCode: ["SWIFT"],
  // Another fact than any field's, or several fields'.
  none: [
    "Expiry",
    "Valid Till",
    "Valid From",
    "DOB",
    "Passport Issue Date",
    "License Type",
    "Emergency Contact",
    "Account Holder Name",
    "Bank No",
    "Bank Code",
    "Branch",
    "Country Code",
    "Permanent Address",
    "Number",
    "S. No.",
  ],
};

const HORSES: Expected = {
  id: ["Horse ID"],
  identifier: ["Truck No.", "Reg. No."],
  chassis_number: ["Chassis No", "VIN"],
  engine_number: ["ENGINE NO.", "Engine"],
  owner: ["Owner Name"],
  hired: ["Hired?"],
  description: ["Remarks"],
  none: ["Model", "Engine Type"],
};

const TRAILERS: Expected = {
  id: ["Trailer ID"],
  trailer_registration_number: ["Reg No", "Regn. Number", "Number plate"],
  type: ["Trailer Type"],
  location: ["Current location"],
  last_maintenance: ["Last service"],
  capacity_tons: ["Capacity (t)"],
  axles: ["No. of axles"],
  no_of_tyres: ["Tires", "Nos. of tyres"],
  owner_name: ["Owner"],
  ownership_type: ["Ownership"],
  purchase_date: ["Date of purchase"],
  registered_at: ["Regd. Date"],
  description_3: ["Description-3"],
  none: ["Description", "Trailer No.", "Next service", "Insurance Expiry"],
};

const LOCATIONS: Expected = {
  location_name: ["Location", "Site name"],
  lat: ["Lat"],
  longitude: ["Lng", "LONG."],
  postalCode: ["PIN Code", "Zip", "Postcode"],
  state: ["Province"],
  location_type: ["Location type"],
  none: ["Location Code", "Address"],
};

const KINDS: readonly (readonly [RecordDefinition, Expected])[] = [
  [driverDefinition, DRIVERS],
  [horseDefinition, HORSES],
  [trailerDefinition, TRAILERS],
  [locationDefinition, LOCATIONS],
];

const CASES = KINDS.flatMap(([definition, expected]) =>
  Object.entries(expected).flatMap(([name, headers]) =>
    headers.map((header) => [definition.api.noun, header, name, definition] as const),
  ),
);

function sheetOf(header: string, values: readonly string[] = []) {
  const sample = values.map((value, at) => ({ number: at + 2, cells: [value] }));
  return { header: { number: 1, cells: [header] }, sample };
}

test.each(CASES)("a %s's column %s is %s", (noun, header, name, definition) => {
  expect(matchColumns(sheetOf(header), targetsOf(definition), noun)).toEqual([name === "none" ? null : name]);
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
