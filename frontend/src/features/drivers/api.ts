import { deleteTwice } from "@/shared/api/deleteTwice";
import { type RecordApi, readValues, writeValues } from "@/shared/records";
import type { Driver } from "./schema";

/** Form name → server name. */
const WIRE_NAMES = {
  id: "id",
  name: "name",
  address1: "address_1",
  address2: "address_2",
  city: "city",
  country: "country",
  mobile1: "mobile_number_1",
  mobile2: "mobile_number_2",
  email: "email_address",
  fatherName: "father_name",
  passportNumber: "passport_number",
  passportValidUpTo: "passport_expiry_date",
  licenseNumber: "driving_license_number",
  licenseValidUpTo: "driving_license_expiry",
  bankAccount: "bank_account_number",
  bankName: "bank_name",
  bankAddress: "bank_address",
  ifscCode: "ifsc_code",
  swiftCode: "swift_code",
} as const satisfies Record<keyof Driver, string>;

const OPTIONAL: ReadonlySet<keyof Driver> = new Set(["address2", "mobile2", "swiftCode"]);

type WireName = (typeof WIRE_NAMES)[keyof Driver];
type OptionalName = "address_2" | "mobile_number_2" | "swift_code";

/** A driver as the server takes and gives it. */
export type WireDriver = Record<Exclude<WireName, OptionalName>, string> &
  Record<OptionalName, string | null>;

/** Drivers as the server knows them (specification, sections 3 and 7). */
export const driverApi: RecordApi<WireDriver, Driver, Driver> = {
  noun: "driver",
  path: "/api/v1/drivers",
  wireNames: WIRE_NAMES,
  unwrap: (answer) => (answer as { driver_by_pk: WireDriver }).driver_by_pk,
  toValues: (wire) => readValues<Driver>(wire, WIRE_NAMES),
  toRow: (wire) => readValues<Driver>(wire, WIRE_NAMES),
  toWire: (driver) => writeValues(driver, WIRE_NAMES, OPTIONAL),
  remove: deleteTwice,
};
