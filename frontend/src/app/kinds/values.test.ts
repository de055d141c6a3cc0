import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { fieldsOf } from "@/shared/form";
import { location } from "@/shared/records/entities.gen";
import { drivers, horses, locations, trailers } from "@/testing/kinds";
import { kinds as words } from "../../../e2e/support/kinds";

/* The conversion of records to form values and back, and the forms' validation. */

const trailerValues = trailers.api.toValues(trailers.wire());
const locationValues = locations.api.toValues(locations.wire());

test.each([drivers, trailers, horses, locations])(
  "a $noun's required fields are reported if blank or missing",
  (kind) => {
    const { required = [] } = words.find(({ noun }) => noun === kind.noun) ?? {};
    const labels = new Map(
      fieldsOf<{ name: string; label: string }>(kind.sections).map((one) => [one.name, one.label]),
    );
    const reported = (values: Record<string, string>) =>
      Object.entries(kind.messages(values as never)).map(([name, message]) => [labels.get(name), message]);
    expect(reported(kind.empty)).toEqual(required);
    const blank = Object.entries(kind.empty).map(([name, value]) => [name, value === "" ? " " : value]);
    expect(reported(Object.fromEntries(blank))).toEqual(required);
  },
);

const text = fc.oneof(fc.constant(null), fc.stringMatching(/^\S(.*\S)?$/));
const upTo = (limit: number) => fc.double({ min: -limit, max: limit, noNaN: true });
const json = fc.oneof(fc.string(), fc.boolean(), fc.constant(null), fc.maxSafeInteger());

/** Values of some fields, and the fields that only the server sets. */
const loaded: readonly [{ noun: string }, Record<string, fc.Arbitrary<unknown>>, readonly string[]][] = [
  [drivers, { city: fc.stringMatching(/^\S(.*\S)?$/), address_2: text, swift_code: text }, []],
  [trailers, { owner_name: text, capacity_tons: fc.oneof(fc.maxSafeInteger(), upTo(1e15)) }, ["id"]],
  [
    horses,
    {
      ...{ owner: text, hired: text, description: text },
      metadata: fc.dictionary(fc.string(), fc.oneof(json, fc.array(json))),
      created_at: fc.constant("2026-11-20T06:10"),
      updated_at: fc.constant("2026-11-21T17:45"),
    },
    [],
  ],
  [
    locations,
    {
      ...{ lat: upTo(90), longitude: upTo(180) },
      location_type: fc.constantFrom(...location.fields.location_type.choices),
      attributes: fc.record({ city: text, state: text, postalCode: text, status: text, capacity: text }),
    },
    ["id", "created_at", "updated_at"],
  ],
];

test.each(loaded)("a $noun loaded from the server can be saved unchanged", (one, values, servers) => {
  const { api, schema, wire } = one as typeof drivers;
  fc.assert(
    fc.property(fc.record(values), (differences) => {
      const record = wire(differences);
      const sent = api.toWire(schema.parse(api.toValues(record)), record);
      const own = Object.entries(record).filter(([name]) => !servers.includes(name));
      // As text, because there is no other zero in JSON.
      expect(JSON.parse(JSON.stringify(sent))).toEqual(JSON.parse(JSON.stringify(Object.fromEntries(own))));
    }),
  );
});

describe("a driver", () => {
  test("is read under the form's names", () => {
    expect(drivers.api.toValues(drivers.wire({ address_2: "Near the depot" }))).toEqual({
      ...drivers.empty,
      ...{ id: "EMP-001", name: "Ravi Kumar", fatherName: "Mohan Kumar", email: "ravi.kumar@example.com" },
      ...{ address1: "12 Station Road", address2: "Near the depot", city: "Nagpur", country: "India" },
      ...{ mobile1: "+91 98765 43210", mobile2: "", bankName: "State Bank of India", swiftCode: "" },
      ...{ passportNumber: "P1234567", passportValidUpTo: "2031-05-04", bankAccount: "001234567890" },
      ...{ licenseNumber: "MH31 20190001234", licenseValidUpTo: "2030-02-01", ifscCode: "SBIN0000432" },
      bankAddress: "Sitabuldi, Nagpur",
    });
  });

  test("is sent with empty optional text as null, and only that", () => {
    const { toValues, toWire } = drivers.api;
    expect(toWire({ ...toValues(drivers.wire()), city: "" }, undefined)).toEqual(drivers.wire({ city: "" }));
  });

  test("has every field as a column, so that it can go into a download", () => {
    const columns = drivers.definition.columns.map(({ id }) => id);
    expect(columns.toSorted()).toEqual(Object.keys(drivers.empty).toSorted());
  });

  test("has texts without space around them, and an e-mail address", () => {
    const complete = drivers.api.toValues(drivers.wire());
    expect(drivers.schema.parse({ ...complete, name: " Ravi  Kumar " }).name).toBe("Ravi  Kumar");
    for (const email of ["ravi", "ravi@", "@example.com", "ravi@example", "ra vi@example.com"]) {
      expect(drivers.messages({ ...complete, email })).toEqual({ email: "Invalid email address" });
    }
  });
});

describe("a trailer's number", () => {
  const some = { ...trailers.empty, identifier: "LB-001" };
  const sent = (axles: string) =>
    (trailers.api.toWire({ ...some, axles }, undefined) as { axles: unknown }).axles;

  test.each([
    ["", null],
    ["0", 0],
    ["12", 12],
    ["+12", 12],
    ["007", 7],
    ["1e3", 1000],
    ["9007199254740991", 9007199254740991],
  ])("may be typed as %o", (axles, number) => {
    expect(trailers.messages({ ...some, axles })).toEqual({});
    expect(sent(axles)).toBe(number);
  });

  test.each(["abc", "0x10", "Infinity", "NaN", "1e", ".5", "5.", "1,5", "1 000", "١٢", "--1", "true"])(
    "is refused as %o",
    (text) => {
      const refused = { capacity_tons: text, axles: text, no_of_tyres: text };
      const messages = Object.values(trailers.messages({ ...some, ...refused }));
      expect(messages).toEqual(Array(3).fill("Must be a number"));
    },
  );

  test.each(["1e400", "-1e400", "9007199254740992", "1e16"])("is too large as %o", (axles) => {
    const message = "Must be between -9007199254740991 and 9007199254740991";
    expect(trailers.messages({ ...some, axles })).toEqual({ axles: message });
  });

  test("is not negative of axles or tyres, and no other is refused for that", () => {
    const negative = { capacity_tons: "-1.50", axles: "-1", no_of_tyres: "-0.5" };
    const message = "Must not be negative";
    expect(trailers.messages({ ...some, ...negative })).toEqual({ axles: message, no_of_tyres: message });
  });
});

test("spaces around a trailer's texts are dropped, but not those of its data", () => {
  const typed = { ...trailerValues, owner_name: " Ravi  Kumar ", axles: " 3 ", data: " {} " };
  expect(trailers.schema.parse(typed)).toMatchObject({ owner_name: "Ravi  Kumar", axles: "3", data: " {} " });
});

describe("a horse", () => {
  test("is read bare, its times cut to 16 characters and its metadata laid out as text", () => {
    const { created_at, updated_at } = horses.wire();
    const { metadata, ...others } = horses.api.toValues(horses.api.unwrap(horses.wire()));
    expect(metadata).toBe('{\n  "make": "Tata",\n  "year": 2024\n}');
    expect(others).toMatchObject({ id: "HRS-0001", description: "", created_at: "2026-11-20T06:10" });
    // The list is sorted by its times to the end.
    expect(horses.api.toRow(horses.wire())).toEqual({ ...others, created_at, updated_at });
  });

  test("has JSON for metadata; empty text is an empty object, and no object is the server's to refuse", () => {
    const values = horses.api.toValues(horses.wire({ metadata: {} }));
    expect(values.metadata).toBe("");
    const sent = (metadata: string) => horses.api.toWire({ ...values, metadata }, undefined);
    for (const metadata of ["{}", '{"a": 1}', " {} ", "[1]", "null", " "]) {
      expect(horses.messages({ ...values, metadata })).toEqual({});
    }
    expect(sent("")).toMatchObject({ metadata: {} });
    expect(sent("[1]")).toMatchObject({ metadata: [1] });
    for (const metadata of ["{", "make: Tata", "{'a': 1}", '{"a": 1e400}', '{"a": 9007199254740993}']) {
      const message = "Please provide valid JSON in the Metadata field.";
      expect(horses.messages({ ...values, metadata })).toEqual({ metadata: message });
    }
  });
});

describe("a location", () => {
  test("is sent with the attributes that the form does not ask for", () => {
    const values = { ...locationValues, city: "", postalCode: "682001" };
    expect(locations.api.toWire(values, locations.wire())).toMatchObject({
      attributes: { city: null, state: "Kerala", postalCode: "682001", status: "Active", capacity: 40 },
    });
  });

  test.each([
    ["0", "0"],
    ["90", "180"],
    ["-90", "-180"],
    [" 9.9312 ", "+76.2673"],
    ["1e-7", "-1E2"],
    ["007", "180.000"],
  ])("may be at %o, %o", (lat, longitude) => {
    expect(locations.messages({ ...locationValues, lat, longitude })).toEqual({});
  });

  test.each([
    ["90.0001", "180.0001"],
    ["-91", "-181"],
    ["north", "NaN"],
    ["1e400", "-1e400"],
    ["Infinity", "-Infinity"],
    ["0x10", "1,5"],
    ["9° 55′", "76 16"],
  ])("cannot be at %o, %o", (lat, longitude) => {
    expect(locations.messages({ ...locationValues, lat, longitude })).toEqual({
      lat: "Latitude must be between -90 and 90",
      longitude: "Longitude must be between -180 and 180",
    });
  });

  test("has one of the specification's four types, by default REGULAR", () => {
    expect(location.fields.location_type.choices).toEqual(["REGULAR", "HUB", "WAREHOUSE", "SERVICE_POINT"]);
    expect(locations.empty.location_type).toBe("REGULAR");
    const other = { ...locationValues, location_type: "DEPOT" };
    expect(Object.keys(locations.messages(other))).toEqual(["location_type"]);
  });
});
