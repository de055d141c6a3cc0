import { expect, test } from "vitest";
import { userInitials } from "@/app/shell/Sidebar";
import { piecesOf } from "@/features/system/runbooks";
import { trailerState } from "@/features/trailers/statuses";
import { microseconds, readAsOf, withAsOf } from "@/shared/asOf/asOf";
import { tokenExpiry } from "@/shared/auth/session";
import { expiryOf } from "@/shared/expiry/expiry";
import { parseJson } from "@/shared/form/jsonText";
import { isNumeric } from "@/shared/form/numberText";
import { findOptions } from "@/shared/form/SearchableSelect";
import { formatDate } from "@/shared/format/DateText";
import { initials } from "@/shared/format/initials";
import { matchColumns } from "@/shared/import/matching";
import { parse, possibleSeparators, requireFewBlanks } from "@/shared/import/parsers/csv";
import { dateText, loadFormats } from "@/shared/import/parsers/xlsx/numberFormat";
import { readRow } from "@/shared/import/readRow";
import { targetsOf } from "@/shared/import/targets";
import { shipDefinition } from "@/shared/import/testing/kind";
import { versionOf } from "@/shared/records/changes";
import { readComparison, readVersion } from "@/shared/records/paths";
import { toCsv } from "@/shared/table/csv";
import { asksForDays } from "@/shared/table/filters/days";
import { keyOf } from "@/shared/table/order";
import { createRowSearch } from "@/shared/table/search";
import { excess, type Hostile, hostile } from "@/testing/growth";
import { drivers, horses, locations } from "@/testing/kinds";

/* Functions with patterns or loops over untrusted text must take linear time. */

const WORD = [...'aA01 \t\né-_.,;:/=*%+()"\\@<', "a@", ".a", "1e", "\u0301", "--"];
const JSON_TOKENS = [...'[]{}"\\,:09-.e ', '\\"', '"a":', "1,", '"a",', "[],"];
const INSTANT = [..."0:.-+TZ ", "2026-11-21", "T09:30:00", "+05:30"];
const ADDRESS = [..."/?#&=%a", "as_of=", "%41", "version=", "compare=", "1-2"];
const FORMAT = [...'[]hmsydHM"\\_*#0;. ', "General", "[Red]", "[h]", "[$-409]"];
const CSV = [...'",; \n\tab1', '""', '",', 'q"'];
/** Accents whose order changes when they are separated from their letter. */
const ACCENTS = { prefix: "a", unit: "\u0315\u0300", suffix: "" };
const FAMILIES = 40;

const cellFormat = await loadFormats();

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
    known: [{ prefix: "", unit: "1", suffix: "a" }, ACCENTS],
  },
  { name: "the key of a sort", work: keyOf, tokens: WORD, known: [ACCENTS] },
  {
    name: "a filter for days",
    work: asksForDays,
    tokens: [...INSTANT, "..", "\n"],
    known: [{ prefix: "", unit: ".", suffix: "\n" }],
  },
  {
    name: "the format of a cell",
    work: (text) => cellFormat(164, text),
    tokens: FORMAT,
    known: [
      { prefix: "", unit: "[", suffix: "" },
      { prefix: "", unit: "[h", suffix: "" },
    ],
  },
  {
    name: "a cell of a file",
    work: (text) => readRow({ number: 2, cells: targets.map(() => text) }, targets, READING),
    tokens: [...WORD, ...INSTANT],
    known: [{ prefix: "+", unit: "1", suffix: ",x" }, ACCENTS],
  },
  {
    name: "the name of a column",
    work: (text) =>
      matchColumns(
        { header: { number: 1, cells: [text] }, sample: [{ number: 2, cells: [text] }] },
        targets,
        "ship",
      ),
    tokens: WORD,
    known: [ACCENTS],
  },
  { name: "a number of an XLSX file", work: (text) => dateText(Number(text), false), tokens: WORD },
  {
    name: "text of a CSV file",
    work: (text) => {
      requireFewBlanks(text);
      return [parse(text, ","), possibleSeparators(text)];
    },
    tokens: CSV,
  },
  { name: "a line of a runbook", work: piecesOf, tokens: [...WORD, ..."[]()`", "[a]("] },
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
    work: (text) => drivers.schema.safeParse(filled(drivers.empty, text)),
    tokens: WORD,
  },
  { name: "a horse", work: (text) => horses.schema.safeParse(filled(horses.empty, text)), tokens: WORD },
  {
    name: "a location",
    work: (text) => locations.schema.safeParse(filled(locations.empty, text)),
    tokens: WORD,
  },
];

const targets = targetsOf(shipDefinition);
const READING = { clearsFields: true, monthFirst: new Set<number>() };
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
