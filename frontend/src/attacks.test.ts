import { expect, test } from "vitest";
import { userInitials } from "@/app/shell/userInitials";
import { driverSchema, emptyDriver } from "@/features/drivers/testing/drivers";
import { emptyHorse, horseSchema } from "@/features/horses/testing/horses";
import { emptyLocation, locationSchema } from "@/features/locations/testing/locations";
import { trailerState } from "@/features/trailers/statuses";
import { microseconds, readAsOf, withAsOf } from "@/shared/asOf/asOf";
import { tokenExpiry } from "@/shared/auth/token";
import { expiryOf } from "@/shared/expiry/expiry";
import { parseJson } from "@/shared/form/jsonText";
import { isNumeric } from "@/shared/form/numberText";
import { findOptions } from "@/shared/form/options";
import { formatDate } from "@/shared/format/DateText";
import { initials } from "@/shared/format/initials";
import { versionOf } from "@/shared/records/changes";
import { readComparison, readVersion } from "@/shared/records/history/paths";
import { toCsv } from "@/shared/table/csv";
import { createRowSearch } from "@/shared/table/search";
import { excess, type Hostile, hostile } from "@/testing/growth";

/* Wherever a text that somebody else may have written meets a pattern or a loop. */

const WORD = [...'aA01 \t\né-_.,;:/=*%+()"\\@<', "a@", ".a", "1e", "\u0301", "--"];
const JSON_TOKENS = [...'[]{}"\\,:09-.e ', '\\"', '"a":', "1,", '"a",', "[],"];
const INSTANT = [..."0:.-+TZ ", "2026-11-21", "T09:30:00", "+05:30"];
const ADDRESS = [..."/?#&=%a", "as_of=", "%41", "version=", "compare=", "1-2"];
const FAMILIES = 40;

interface EntryPoint {
  name: string;
  work: (text: string) => unknown;
  tokens: readonly string[];
  known?: readonly Hostile[];
}

const entryPoints: readonly EntryPoint[] = [
  {
    name: "a JSON object",
    work: parseJson,
    tokens: JSON_TOKENS,
    known: [
      { prefix: "0.1", unit: "0", suffix: "1" },
      { prefix: '{"a":"', unit: '\\"', suffix: '"}' },
      { prefix: "[", unit: "[],", suffix: "0]" },
      { prefix: '["', unit: "a", suffix: '"]' },
      { prefix: '["a"', unit: " ", suffix: "]" },
    ],
  },
  {
    name: "a search",
    work: (text) => createRowSearch((row: { text: string }) => [row.text])([{ text }], text),
    tokens: WORD,
    known: [{ prefix: "", unit: "1", suffix: "a" }],
  },
  { name: "a cell of a CSV file", work: (text) => toCsv([cell], [text]), tokens: WORD },
  { name: "an option", work: (text) => findOptions([{ value: "", label: text }], text), tokens: WORD },
  { name: "a number", work: isNumeric, tokens: WORD },
  { name: "an instant", work: microseconds, tokens: INSTANT },
  { name: "a date", work: (text) => [formatDate(text), expiryOf(text, new Date())], tokens: INSTANT },
  { name: "an address", work: (text) => [withAsOf(text, text), readAsOf(text)], tokens: ADDRESS },
  {
    name: "an address's parameters",
    work: (text) => [text, `version=${text}`, `compare=${text}`].map(readParameters),
    tokens: ADDRESS,
  },
  { name: "an entity tag", work: versionOf, tokens: [...'"W/1-', '"1"'] },
  { name: "a token", work: tokenExpiry, tokens: [..."a.=-_ ", "eyJh", "W1tb"] },
  {
    name: "a name",
    work: (text) => [userInitials({ name: text, email: text }), initials(text)],
    tokens: WORD,
  },
  { name: "a trailer's status", work: trailerState, tokens: WORD },
  {
    name: "a driver",
    work: (text) => driverSchema.safeParse(filled(emptyDriver, text)),
    tokens: WORD,
  },
  { name: "a horse", work: (text) => horseSchema.safeParse(filled(emptyHorse, text)), tokens: WORD },
  { name: "a location", work: (text) => locationSchema.safeParse(filled(emptyLocation, text)), tokens: WORD },
];

const cell = { id: "a", header: "A", value: (row: string) => row };

function filled(empty: object, text: string): object {
  return Object.fromEntries(Object.keys(empty).map((key) => [key, text]));
}

function readParameters(search: string): unknown {
  const params = new URLSearchParams(search);
  return [readVersion(params), readComparison(params)];
}

test.each(entryPoints)("the time for $name grows with it and no faster", ({ work, tokens, known = [] }) => {
  const found = [...known, ...hostile(tokens, FAMILIES)].map((family) => excess(work, family));
  expect(found.filter(Boolean)).toEqual([]);
});

test("what grows with the square is found", () => {
  const phone = /^[\d\s()+./-]*\d[\d\s()+./-]*$/;
  expect(excess((text) => phone.test(text), { prefix: "", unit: "1", suffix: "a" })).toBeDefined();
});
