import { expect, test } from "vitest";
import { emptyLocation, type Location, locationApi, locationSchema, wireLocation } from "./testing/locations";

const complete = locationApi.toValues(wireLocation());

function messages(values: Location): Record<string, string> {
  const issues = locationSchema.safeParse(values).error?.issues ?? [];
  return Object.fromEntries(issues.map(({ path, message }) => [path.join("."), message]));
}

const LATITUDE = "Latitude must be between -90 and 90";
const LONGITUDE = "Longitude must be between -180 and 180";

test("what is missing has the specification's own message, and the type is REGULAR", () => {
  const required = {
    location_name: "Location name is required",
    country: "Country is required",
    lat: LATITUDE,
    longitude: LONGITUDE,
  };
  expect(messages(emptyLocation)).toEqual(required);
  expect(messages({ ...emptyLocation, location_name: " ", country: " ", lat: " ", city: " " })).toEqual(
    required,
  );
  expect(emptyLocation.location_type).toBe("REGULAR");
});

test.each([
  ["0", "0"],
  ["90", "180"],
  ["-90", "-180"],
  [" 9.9312 ", "+76.2673"],
  ["1e-7", "-1E2"],
  ["007", "180.000"],
])("%o and %o are coordinates", (lat, longitude) => {
  expect(messages({ ...complete, lat, longitude })).toEqual({});
});

test.each([
  ["90.0001", "180.0001"],
  ["-91", "-181"],
  ["north", "NaN"],
  ["1e400", "-1e400"],
  ["Infinity", "-Infinity"],
  ["0x10", "1,5"],
  ["9° 55′", "76 16"],
])("%o and %o are no coordinates", (lat, longitude) => {
  expect(messages({ ...complete, lat, longitude })).toEqual({ lat: LATITUDE, longitude: LONGITUDE });
});

test("the four types are the specification's, and no other is taken", () => {
  for (const location_type of ["REGULAR", "HUB", "WAREHOUSE", "SERVICE_POINT"] as const) {
    expect(messages({ ...complete, location_type })).toEqual({});
  }
  const other = { ...complete, location_type: "DEPOT" } as unknown as Location;
  expect(Object.keys(messages(other))).toEqual(["location_type"]);
});
