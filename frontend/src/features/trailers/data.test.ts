import { describe, expect, test } from "vitest";
import { recordPath } from "@/shared/records/definition";
import { trailer } from "@/shared/records/entities.gen";
import { trailers } from "@/testing/kinds";
import { isData } from "./data";
import { statusTone } from "./statuses";

const { api, empty, wire, listed } = trailers;

test("an answer about a trailer may have it under trailer_by_pk or bare", () => {
  for (const answer of [{ trailer_by_pk: wire() }, wire()]) expect(api.unwrap(answer)).toEqual(wire());
});

describe("a trailer's values", () => {
  test.each([
    [
      { gps: "GPS-1", currentLocation: "Pune" },
      { location: "Pune", data: { gps: "GPS-1" } },
    ],
    [{ currentLocation: { city: "Pune" } }, { location: "", data: { currentLocation: { city: "Pune" } } }],
    [{ lastMaintenance: "last week" }, { last_maintenance: "", data: { lastMaintenance: "last week" } }],
    [{}, { location: "", data: {} }],
  ])("with %j for data have the rest as JSON with two spaces", (data, { data: rest, ...asked }) => {
    const values = api.toValues(wire({ data }));
    expect(values).toMatchObject({ ...asked, data: JSON.stringify(rest, null, 2) });
    expect(api.toWire(values, wire({ data }))).toMatchObject({ data });
  });

  test("fall back to registrationNumber, assignedDriver and capacity", () => {
    const fallbacks = { registrationNumber: "KL1", assignedDriver: "Ravi", capacity: 9 };
    expect(api.toValues({ id: "TR-9", identifier: "LB-9", ...fallbacks } as never)).toEqual({
      ...empty,
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

  test("is made of the list's names, or of the record's where it has just been saved", () => {
    expect(api.toRow(listed())).toEqual(row);
    expect(api.toRow(wire())).toEqual(row);
    const other = { registrationNumber: "R", capacity: 1, assignedDriver: "D", currentLocation: "C" };
    expect(api.toRow({ ...wire(), ...other, lastMaintenance: 7 })).toEqual({
      ...{ ...row, ...other },
      lastMaintenance: "7",
    });
  });

  test.each([[{ city: "Pune" }], [["Pune"]], [true], [null]])(
    "shows no location where the data has %j for one",
    (currentLocation) => {
      const shown = api.toRow(listed({ data: { currentLocation } }));
      expect(shown).toMatchObject({ currentLocation: "", lastMaintenance: "" });
    },
  );
});

describe("the data that is sent", () => {
  const sent = (data: string, loaded?: ReturnType<typeof wire>) =>
    (api.toWire({ ...empty, data }, loaded) as { data: unknown }).data;

  test("is the object that was typed, or none", () => {
    expect(sent('{"gps": [1, 2.50]}', wire())).toEqual({ gps: [1, 2.5] });
    for (const blank of ["", " \n"]) expect(sent(blank, wire())).toBeNull();
    for (const text of ['{"gps": [1, 2.50]}', "", " \n"]) expect(isData(text)).toBe(true);
  });

  test.each([
    ["replaces the loaded one", "Hosur", { gps: "GPS-1", currentLocation: "Hosur" }],
    ["is removed if cleared", "", { gps: "GPS-1" }],
  ])("has the location, which %s", (_, location, data) => {
    const loaded = wire({ data: { gps: "GPS-1", currentLocation: "Pune" } });
    expect(api.toWire({ ...api.toValues(loaded), location }, loaded)).toMatchObject({ data });
  });

  test.each(["{", "[1]", "null", "text", '{"big": 9007199254740993}', '{"big": 1e400}'])(
    "is the previous one where the text is %o, and none where there was none",
    (text) => {
      expect(sent(text, wire({ data: { gps: "GPS-1", currentLocation: "Pune" } }))).toEqual({ gps: "GPS-1" });
      expect(sent(text)).toBeNull();
      expect(isData(text)).toBe(false);
    },
  );
});

test("without an id there is nothing to ask for or to change", () => {
  expect(() => recordPath(api, "")).toThrow(new Error("Missing trailer id"));
});

test.each([
  ["Available", "success"],
  ["In Use", "info"],
  ["IN_USE", "info"],
  ["RUNNING", "info"],
  [" maintenance ", "warning"],
  ["Out of Service", "danger"],
  ["OUT_OF_SERVICE", "danger"],
  ["Sold", "neutral"],
  ["constructor", "neutral"],
  ["", "neutral"],
])("the status %o has the tone %s", (status, tone) => {
  expect(statusTone(status)).toBe(tone);
});

test("every suggested status has a tone", () => {
  expect(trailer.fields.status.suggestions.map(statusTone)).not.toContain("neutral");
});
