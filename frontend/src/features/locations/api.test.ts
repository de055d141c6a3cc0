import fc from "fast-check";
import { expect, test } from "vitest";
import { location } from "@/shared/records/entities.gen";
import type { WireLocation } from "./definition";
import { emptyLocation, locationApi, locationSchema, wireLocation } from "./testing/locations";

test("a location is read from location_by_pk, under the form's names", () => {
  const answer = { location_by_pk: wireLocation() };
  expect(locationApi.toValues(locationApi.unwrap(answer))).toEqual({
    ...emptyLocation,
    location_name: "Kochi depot",
    country: "India",
    location_type: "WAREHOUSE",
    lat: "9.9312",
    longitude: "76.2673",
    city: "Kochi",
    state: "Kerala",
    postalCode: "",
    status: "Active",
    capacity: "40",
    created_at: "2026-11-20T06:10",
    updated_at: "2026-11-21T17:45",
  });
});

test("a new location is sent with coordinates as numbers, and only the attributes that are asked for", () => {
  const { id: _, created_at, updated_at, attributes, ...asked } = wireLocation();
  const { city, state, postalCode } = attributes;
  expect(locationApi.toWire(locationApi.toValues(wireLocation()), undefined)).toEqual({
    ...(locationApi.toWire(emptyLocation, undefined) as object),
    ...asked,
    attributes: { city, state, postalCode },
  });
});

test("a change sends the attributes along that the form does not ask for", () => {
  const loaded = wireLocation();
  const values = { ...locationApi.toValues(loaded), city: "", postalCode: "682001" };
  expect(locationApi.toWire(values, loaded)).toMatchObject({
    attributes: { city: null, state: "Kerala", postalCode: "682001", status: "Active", capacity: 40 },
  });
});

test("whatever the server has can be saved again as it is shown", () => {
  const text = fc.oneof(fc.constant(null), fc.stringMatching(/^\S.*\S$/));
  const within = (limit: number) => fc.double({ min: -limit, max: limit, noNaN: true });
  const anyLocation = fc.record({
    lat: within(90),
    longitude: within(180),
    location_type: fc.constantFrom(...location.fields.location_type.choices),
    attributes: fc.record({ city: text, state: text, postalCode: text, status: text, capacity: text }),
  });
  fc.assert(
    fc.property(anyLocation, (differences) => {
      const loaded = wireLocation(differences);
      const values = locationSchema.parse(locationApi.toValues(loaded));
      const { id, created_at, updated_at, ...sent } = loaded;
      const body = locationApi.toWire(values, loaded) as WireLocation;
      // As text, because there is no other zero in JSON.
      expect(JSON.parse(JSON.stringify(body))).toEqual(JSON.parse(JSON.stringify(sent)));
    }),
  );
});
