import type { Driver } from "./schema";

/** Form name → server name. The only place that knows both. */
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

type FormName = keyof Driver;
type WireName = (typeof WIRE_NAMES)[FormName];
type OptionalName = "address_2" | "mobile_number_2" | "swift_code";

/** A driver as the server takes and gives it. */
export type WireDriver = Record<Exclude<WireName, OptionalName>, string> &
  Record<OptionalName, string | null>;

const FORM_NAMES = Object.keys(WIRE_NAMES) as FormName[];
const OPTIONAL: ReadonlySet<FormName> = new Set<FormName>(["address2", "mobile2", "swiftCode"]);

/** Reads a driver from an answer; what the server has not got becomes empty text. */
export function fromWire(wire: WireDriver): Driver {
  const entries = FORM_NAMES.map((name) => [name, wire[WIRE_NAMES[name]] ?? ""]);
  return Object.fromEntries(entries) as Driver;
}

/** Writes a driver for a request; empty optional text becomes null. */
export function toWire(driver: Driver): WireDriver {
  const entries = FORM_NAMES.map((name) => {
    const value = driver[name];
    return [WIRE_NAMES[name], value === "" && OPTIONAL.has(name) ? null : value];
  });
  return Object.fromEntries(entries) as WireDriver;
}

/** The form's name for the field a server's validation error is about, if the form has it. */
export function formName(wireName: string): FormName | undefined {
  return FORM_NAMES.find((name) => WIRE_NAMES[name] === wireName);
}
