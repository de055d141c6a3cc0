import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { driverDefinition, type WireDriver } from "./definition";
import { type Driver, driverApi, driverSchema, emptyDriver, wireDriver } from "./testing/drivers";

const names = Object.keys(driverSchema.shape) as (keyof Driver)[];
const anyDriver = fc.record(
  Object.fromEntries(names.map((name) => [name, fc.string()])),
) as fc.Arbitrary<Driver>;

describe("the driver API", () => {
  test("gives the form's names to the server's values", () => {
    expect(driverApi.toValues(wireDriver({ address_2: "Near the depot" }))).toEqual({
      ...emptyDriver,
      id: "EMP-001",
      name: "Ravi Kumar",
      address1: "12 Station Road",
      address2: "Near the depot",
      city: "Nagpur",
      country: "India",
      mobile1: "+91 98765 43210",
      mobile2: "",
      email: "ravi.kumar@example.com",
      fatherName: "Mohan Kumar",
      passportNumber: "P1234567",
      passportValidUpTo: "2031-05-04",
      licenseNumber: "MH31 20190001234",
      licenseValidUpTo: "2030-02-01",
      bankAccount: "001234567890",
      bankName: "State Bank of India",
      bankAddress: "Sitabuldi, Nagpur",
      ifscCode: "SBIN0000432",
      swiftCode: "",
    });
  });

  test("sends empty optional text as null, and only that", () => {
    const wire = driverApi.toWire({ ...driverApi.toValues(wireDriver()), city: "" }, undefined);
    expect(wire).toEqual(wireDriver({ city: "" }));
  });

  test("loses nothing on the way out and back", () => {
    fc.assert(
      fc.property(anyDriver, (driver) => {
        expect(driverApi.toValues(driverApi.toWire(driver, undefined) as WireDriver)).toEqual(driver);
      }),
    );
  });
});

test("every field can be a column, and so go into a download", () => {
  const columns = driverDefinition.columns.map(({ id }) => id);
  expect(columns.toSorted()).toEqual(names.toSorted());
});
