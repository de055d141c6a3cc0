import { type RecordDefinition, recordTexts } from "@/shared/records";
import { driverApi, type WireDriver } from "./api";
import { LicenceBadge } from "./LicenceBadge";
import { driverPaths } from "./paths";
import { type Driver, driverSchema, emptyDriver } from "./schema";
import { driverSections } from "./sections";

/** Drivers as their screens show them. */
export const driverDefinition: RecordDefinition<WireDriver, Driver, Driver> = {
  api: driverApi,
  paths: driverPaths,
  texts: recordTexts("driver"),
  sections: driverSections,
  schema: driverSchema,
  empty: emptyDriver,
  heading: (driver) => ({
    title: driver.name,
    subtitle: `Employee Number ${driver.id}`,
    badge: <LicenceBadge validUpTo={driver.licenseValidUpTo} />,
  }),
};
