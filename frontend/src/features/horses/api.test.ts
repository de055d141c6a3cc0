import fc from "fast-check";
import { expect, test } from "vitest";
import type { WireHorse } from "./definition";
import { emptyHorse, horseApi, wireHorse } from "./testing/horses";

test("a horse is read bare, its times cut to 16 characters and its metadata laid out as text", () => {
  expect(horseApi.toValues(horseApi.unwrap(wireHorse()))).toEqual({
    ...emptyHorse,
    id: "HRS-0001",
    identifier: "Prima 5530.S #001",
    chassis_number: "MAT127DFYRW544589",
    engine_number: "ISBE6.7-94431068",
    owner: "Pandit Roadlines",
    hired: "No",
    description: "",
    metadata: '{\n  "make": "Tata",\n  "year": 2024\n}',
    created_at: "2026-11-20T06:10",
    updated_at: "2026-11-21T17:45",
  });
});

test("the list knows all of a horse but its metadata, and its times to the end, for it is sorted by them", () => {
  const { created_at, updated_at } = wireHorse();
  const { metadata: _, ...others } = horseApi.toValues(wireHorse());
  expect(horseApi.toRow(wireHorse())).toEqual({ ...others, created_at, updated_at });
});

test("what is sent carries id and times, and metadata as an object", () => {
  expect(horseApi.toWire(horseApi.toValues(wireHorse()), undefined)).toEqual(
    wireHorse({ created_at: "2026-11-20T06:10", updated_at: "2026-11-21T17:45" }),
  );
});

test("what is not filled in is sent as null, and empty metadata as an empty object", () => {
  const values = horseApi.toValues(wireHorse({ owner: null, hired: null, metadata: {} }));
  expect(values.metadata).toBe("");
  expect(horseApi.toWire({ ...values, id: "", created_at: "", updated_at: "" }, undefined)).toEqual({
    ...(horseApi.toWire(emptyHorse, undefined) as object),
    ...wireHorse({ owner: null, hired: null, metadata: {} }),
    id: null,
    created_at: null,
    updated_at: null,
  });
});

test("metadata that is no object is sent as it is: the server refuses it", () => {
  const values = { ...horseApi.toValues(wireHorse()), metadata: "[1]" };
  expect(horseApi.toWire(values, undefined)).toMatchObject({ metadata: [1] });
});

test("nothing is lost on the way out and back", () => {
  const text = fc.oneof(fc.constant(null), fc.string({ minLength: 1 }));
  const leaf = fc.oneof(fc.string(), fc.boolean(), fc.constant(null), fc.maxSafeInteger());
  const metadata = fc.dictionary(fc.string(), fc.oneof(leaf, fc.array(leaf)));
  fc.assert(
    fc.property(fc.record({ owner: text, hired: text, description: text, metadata }), (differences) => {
      const times = { created_at: "2026-11-20T06:10", updated_at: "2026-11-21T17:45" };
      const horse = wireHorse({ ...differences, ...times });
      const sent = horseApi.toWire(horseApi.toValues(horse), undefined) as WireHorse;
      expect(JSON.stringify(sent.metadata)).toBe(JSON.stringify(horse.metadata));
      expect({ ...sent, metadata: horse.metadata }).toEqual(horse);
    }),
  );
});
