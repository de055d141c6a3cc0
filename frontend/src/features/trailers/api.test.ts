import { HttpResponse, http } from "msw";
import { describe, expect, test } from "vitest";
import { recordPath } from "@/shared/records/definition";
import { server } from "@/testing/server";
import { isData } from "./data";
import type { WireTrailer } from "./definition";
import {
  emptyTrailer,
  listedTrailer,
  TRAILER_FIELDS,
  trailerApi,
  trailerBody,
  wireTrailer,
} from "./testing/trailers";

describe("an answer about a trailer", () => {
  test.each([
    ["under trailer_by_pk", { trailer_by_pk: wireTrailer() }],
    ["bare", wireTrailer()],
  ])("may have it %s", (_, answer) => {
    expect(trailerApi.unwrap(answer)).toEqual(wireTrailer());
  });

  test("is shown under the server's names, and what is asked for of its data by itself", () => {
    expect(trailerApi.toValues(wireTrailer({ axles: null }))).toEqual({
      ...emptyTrailer,
      identifier: "LB-001",
      trailer_registration_number: "MH31AB1234",
      type: "LOW_BED",
      status: "Available",
      capacity_tons: "40",
      axles: "",
      no_of_tyres: "12",
      owner_name: "Buch Trailer Service",
      ownership_type: "LEASED",
      name_of_country: "India",
      purchase_date: "2019-11-02",
      registered_at: "2019-11-20",
      description_1: "Hydraulic ramps",
      description_2: "",
      description_3: "",
      description_4: "",
      description_5: "",
      location: "Nagpur",
      last_maintenance: "2026-09-12",
      data: "",
    });
  });

  test.each([
    [
      { gps: "GPS-1", currentLocation: "Pune" },
      { location: "Pune", data: { gps: "GPS-1" } },
    ],
    [{ currentLocation: { city: "Pune" } }, { location: "", data: { currentLocation: { city: "Pune" } } }],
    [{ lastMaintenance: "last week" }, { last_maintenance: "", data: { lastMaintenance: "last week" } }],
    [{}, { location: "", data: {} }],
  ])("with %j for data has the rest as JSON with two spaces", (data, { data: rest, ...asked }) => {
    const values = trailerApi.toValues(wireTrailer({ data }));
    expect(values).toMatchObject({ ...asked, data: JSON.stringify(rest, null, 2) });
    expect(trailerApi.toWire(values, wireTrailer({ data }))).toMatchObject({ data });
  });

  test("falls back to registrationNumber, assignedDriver and capacity, and empty data stays empty", () => {
    const wire = {
      id: "TR-9",
      identifier: "LB-9",
      registrationNumber: "KL1",
      assignedDriver: "Ravi",
      capacity: 9,
    };
    expect(trailerApi.toValues(wire as WireTrailer)).toEqual({
      ...emptyTrailer,
      identifier: "LB-9",
      trailer_registration_number: "KL1",
      owner_name: "Ravi",
      capacity_tons: "9",
    });
  });
});

describe("a row of the list", () => {
  const row = {
    id: "TR-001",
    identifier: "LB-001",
    registrationNumber: "MH31AB1234",
    type: "LOW_BED",
    capacity: 40,
    status: "Available",
    currentLocation: "Nagpur",
    assignedDriver: "Buch Trailer Service",
    lastMaintenance: "2026-09-12",
    ownership_type: "LEASED",
  };

  test("is made of the list's names", () => {
    expect(trailerApi.toRow(listedTrailer())).toEqual(row);
    const other = {
      registrationNumber: "R",
      capacity: 1,
      assignedDriver: "D",
      currentLocation: "C",
      lastMaintenance: 7,
    };
    expect(trailerApi.toRow({ ...wireTrailer(), ...other })).toEqual({
      ...row,
      ...other,
      lastMaintenance: "7",
    });
  });

  test("is made of the server's own names for a trailer that has just been saved", () => {
    expect(trailerApi.toRow(wireTrailer())).toEqual(row);
  });

  test.each([[{ city: "Pune" }], [["Pune"]], [true], [null]])(
    "shows no location where the data has %j for one",
    (currentLocation) => {
      const shown = trailerApi.toRow(listedTrailer({ data: { currentLocation } }));
      expect(shown).toMatchObject({ currentLocation: "", lastMaintenance: "" });
    },
  );

  test("is empty where the server has nothing", () => {
    const nothing = { trailer_registration_number: null, type: null, capacity_tons: null, status: null };
    expect(trailerApi.toRow(listedTrailer({ ...nothing, owner_name: null, data: null }))).toEqual({
      id: "TR-001",
      identifier: "LB-001",
      registrationNumber: "",
      type: "",
      capacity: null,
      status: "",
      currentLocation: "",
      assignedDriver: "",
      lastMaintenance: "",
      ownership_type: "LEASED",
    });
  });
});

describe("what is sent", () => {
  test("is what was loaded where nothing has been changed, without the id", () => {
    const loaded = wireTrailer();
    expect(trailerApi.toWire(trailerApi.toValues(loaded), loaded)).toEqual(trailerBody());
  });

  test("has null for every empty text, number and date", () => {
    const { identifier, ...others } = trailerApi.toWire(
      { ...emptyTrailer, identifier: "LB-1" },
      undefined,
    ) as Record<string, unknown>;
    expect(identifier).toBe("LB-1");
    expect(["identifier", ...Object.keys(others)].sort()).toEqual(TRAILER_FIELDS.toSorted());
    expect(new Set(Object.values(others))).toEqual(new Set([null]));
  });

  test("has numbers where text was typed", () => {
    const typed = {
      ...emptyTrailer,
      identifier: "LB-1",
      capacity_tons: "27.50",
      axles: "3",
      no_of_tyres: "1e1",
    };
    expect(trailerApi.toWire(typed, undefined)).toMatchObject({
      capacity_tons: 27.5,
      axles: 3,
      no_of_tyres: 10,
    });
  });

  const dataSent = (data: string, loaded?: WireTrailer) =>
    (trailerApi.toWire({ ...emptyTrailer, data }, loaded) as { data: unknown }).data;

  test("has the object that was typed", () => {
    expect(dataSent('{"gps": [1, 2.50]}', wireTrailer())).toEqual({ gps: [1, 2.5] });
    expect(isData('{"gps": [1, 2.50]}')).toBe(true);
  });

  test.each(["", " \n"])("has no data where the text is %o", (text) => {
    expect(dataSent(text, wireTrailer())).toBeNull();
    expect(isData(text)).toBe(true);
  });

  test.each([
    ["takes the place of what was loaded", "Hosur", { gps: "GPS-1", currentLocation: "Hosur" }],
    ["is taken away where it is emptied", "", { gps: "GPS-1" }],
  ])("as location %s", (_, location, data) => {
    const loaded = wireTrailer({ data: { gps: "GPS-1", currentLocation: "Pune" } });
    const values = { ...trailerApi.toValues(loaded), location };
    expect(trailerApi.toWire(values, loaded)).toMatchObject({ data });
  });

  test.each(["{", "[1]", "null", "text", '{"big": 9007199254740993}', '{"big": 1e400}'])(
    "has the previous data where the text is %o, and none where there was none",
    (text) => {
      const loaded = wireTrailer({ data: { gps: "GPS-1", currentLocation: "Pune" } });
      expect(dataSent(text, loaded)).toEqual({ gps: "GPS-1" });
      expect(dataSent(text)).toBeNull();
      expect(isData(text)).toBe(false);
    },
  );
});

test("a refused POST, which the client helper returns, is no success", async () => {
  server.use(http.post("*/api/v1/trailers", () => HttpResponse.json({}, { status: 503 })));
  await expect(trailerApi.create?.("/api/v1/trailers", trailerBody(), {})).rejects.toMatchObject({
    status: 503,
  });
});

test("without an id there is nothing to ask for or to change", () => {
  expect(() => recordPath(trailerApi, "")).toThrow(new Error("Missing trailer id"));
});
