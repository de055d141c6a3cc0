import { emptyValues } from "@/shared/form";
import { schemaOf } from "@/shared/form/schema";
import { completed } from "@/testing/completed";
import { recordServer } from "@/testing/recordServer";
import { driverDefinition, type WireDriver } from "../definition";

export const { api: driverApi, sections: driverSections } = driverDefinition;
export const driverSchema = schemaOf(driverSections);

/** A driver as its form knows it: every value is text, and empty text means "none". */
export type Driver = ReturnType<typeof driverApi.toValues>;
export const emptyDriver = emptyValues(driverSections) as Driver;

/** A driver as the server gives it, complete but for what the test says. */
export function wireDriver(differences: Partial<WireDriver> = {}): WireDriver {
  return completed<WireDriver>(
    {
      id: "EMP-001",
      name: "Ravi Kumar",
      address_1: "12 Station Road",
      address_2: null,
      city: "Nagpur",
      country: "India",
      mobile_number_1: "+91 98765 43210",
      mobile_number_2: null,
      email_address: "ravi.kumar@example.com",
      father_name: "Mohan Kumar",
      passport_number: "P1234567",
      passport_expiry_date: "2031-05-04",
      driving_license_number: "MH31 20190001234",
      driving_license_expiry: "2030-02-01",
      bank_account_number: "001234567890",
      bank_name: "State Bank of India",
      bank_address: "Sitabuldi, Nagpur",
      ifsc_code: "SBIN0000432",
      swift_code: null,
      ...differences,
    },
    driverApi.toWire(emptyDriver, undefined),
  );
}

/** Some drivers, numbered from 1, whose names and employee numbers count up. */
export function wireDrivers(count: number): WireDriver[] {
  return Array.from({ length: count }, (_, index) => {
    const number = String(index + 1).padStart(3, "0");
    return wireDriver({ id: `EMP-${number}`, name: `Driver ${number}` });
  });
}

/** The server's drivers. */
export function driverServer(drivers: readonly WireDriver[] = []) {
  return recordServer<WireDriver>(
    {
      path: "/api/v1/drivers",
      wrapper: "driver_by_pk",
      searched: ["id", "name", "mobile_number_1", "mobile_number_2"],
    },
    drivers,
  );
}
