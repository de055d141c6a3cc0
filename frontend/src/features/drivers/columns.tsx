import { DateText } from "@/shared/format/DateText";
import type { DataColumn } from "@/shared/table";
import { LicenceEnd } from "./LicenceBadge";
import type { Driver } from "./schema";

/** The list's columns; the specification leaves them open. Dates sort as dates. */
export const driverColumns: readonly DataColumn<Driver>[] = [
  { id: "name", header: "Name", value: (driver) => driver.name },
  { id: "id", header: "Employee Number", value: (driver) => driver.id, numeric: true },
  { id: "mobile1", header: "Mobile", value: (driver) => driver.mobile1, numeric: true },
  { id: "city", header: "City", value: (driver) => driver.city },
  { id: "licenseNumber", header: "License Number", value: (driver) => driver.licenseNumber, numeric: true },
  {
    id: "licenseValidUpTo",
    header: "License Valid Up To",
    value: (driver) => driver.licenseValidUpTo,
    render: (driver) => <LicenceEnd validUpTo={driver.licenseValidUpTo} />,
    numeric: true,
  },
  { id: "email", header: "Email", value: (driver) => driver.email, hidden: true },
  { id: "country", header: "Country", value: (driver) => driver.country, hidden: true },
  {
    id: "passportNumber",
    header: "Passport Number",
    value: (driver) => driver.passportNumber,
    numeric: true,
    hidden: true,
  },
  {
    id: "passportValidUpTo",
    header: "Passport Valid Up To",
    value: (driver) => driver.passportValidUpTo,
    render: (driver) => <DateText date={driver.passportValidUpTo} />,
    numeric: true,
    hidden: true,
  },
];

/** What the list's search looks through: "by name, ID, or phone". */
export function driverSearchFields(driver: Driver): readonly string[] {
  return [driver.name, driver.id, driver.mobile1, driver.mobile2];
}
