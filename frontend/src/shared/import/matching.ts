import { type FieldSpec, wireName } from "@/shared/form";
import { decomposed } from "@/shared/table/search";
import type { SourceSheet } from "./sourceFile";
import { plain, REASON, type Target } from "./targets";

type Columns = readonly (string | null)[];

/** A sheet's header and first rows. */
export type Sampled = Pick<SourceSheet, "header" | "sample">;

/**
 * Match columns to targets: by the stored choices, by any name of a field on the screens or in the API, by the words of
 * its names and aliases, and, for columns without a name, by their values. Each target is used once. A column that could
 * be several targets stays open.
 * @param noun e.g. `driver`, which headers may add to a field's name.
 * @param remembered names of fields by {@link plain} header; empty for an ignored column.
 */
export function matchColumns(
  sheet: Sampled,
  targets: readonly Target[],
  noun: string,
  remembered: ReadonlyMap<string, string> = new Map(),
): Columns {
  const headers = sheet.header.cells;
  const named = namesOf(targets);
  const worded = indexOf(targets, noun);
  const known = new Set(targets.map(({ name }) => name));
  const columns: (string | null)[] = headers.map(() => null);
  const decided = new Set(headers.flatMap((header, at) => (plain(header) === plain(REASON) ? [at] : [])));
  const ways: readonly ((header: string, at: number) => string | undefined)[] = [
    (header) => remembered.get(plain(header)),
    (header) => named.get(plain(header)),
    (header, at) => onlyOne(candidates(header, at, sheet, worded)),
    (header, at) => (isNameless(header) ? onlyOne(alike(at, sheet, targets).filter(isTelling)) : undefined),
  ];
  for (const way of ways) {
    for (const [at, header] of headers.entries()) {
      if (decided.has(at)) continue;
      const found = way(header, at);
      if (found === undefined) continue;
      decided.add(at);
      if (known.has(found) && !columns.includes(found)) columns[at] = found;
    }
  }
  return columns;
}

/** At most, per column. */
const MOST_SUGGESTED = 3;

/** Return the targets that a column without a target may be: by name, otherwise by its values. */
export function suggestionsFor(
  at: number,
  sheet: Sampled,
  columns: Columns,
  targets: readonly Target[],
  noun: string,
): readonly Target[] {
  const header = sheet.header.cells[at] ?? "";
  const words = wordsOf(header);
  const open = targets.filter(({ name }) => !columns.includes(name));
  const byName = open.filter((target) =>
    keyTexts(target).some((name) => words.length > 0 && words.every((word) => wordsOf(name).includes(word))),
  );
  const exact = candidates(header, at, sheet, indexOf(targets, noun));
  const named = [
    ...open.filter((one) => exact.includes(one)),
    ...byName.filter((one) => !exact.includes(one)),
  ];
  const values = alike(at, sheet, open);
  const both = named.filter((target) => values.includes(target));
  return (both.length > 0 ? both : named.length > 0 ? named : values).slice(0, MOST_SUGGESTED);
}

function onlyOne(found: readonly Target[]): string | undefined {
  return found.length === 1 ? found[0]?.name : undefined;
}

/** Join words to a key: without the noun, unless only a number or code would be left, which may be anything's. */
function keyOf(words: readonly string[], noun?: string): string {
  const rest = words.filter((word) => word !== noun);
  return (rest.every((word) => word === "number" || word === "code") ? words : rest).join(" ");
}

/** Targets by the key of their names, more exact keys first: with the noun, and without `number`. */
type Index = readonly { noun?: string; found: ReadonlyMap<string, readonly Target[]> }[];

function indexOf(targets: readonly Target[], noun: string): Index {
  const without = (words: readonly string[]) => words.filter((word) => word !== "number");
  return [
    { found: keyed(targets, (words) => keyOf(words)) },
    { noun, found: keyed(targets, (words) => keyOf(words, noun)) },
    // Only names of fields lose it: the number of a bank is not the bank.
    { noun, found: keyed(targets, (words) => keyOf(without(words), noun)) },
  ];
}

function keyed(targets: readonly Target[], key: (words: readonly string[]) => string) {
  const found = new Map<string, Target[]>();
  for (const target of targets) {
    for (const text of new Set(keyTexts(target).map((name) => key(wordsOf(name))))) {
      if (text !== "") found.set(text, [...(found.get(text) ?? []), target]);
    }
  }
  return found;
}

/** Return the targets that a header names, limited to those whose values look like the column's. */
function candidates(header: string, at: number, sheet: Sampled, index: Index): readonly Target[] {
  const words = wordsOf(header);
  const found = index.map((level) => level.found.get(keyOf(words, level.noun))).find((one) => one) ?? [];
  const values = valuesOf(at, sheet);
  const isDate = values.length > 0 && values.every((value) => KINDS.date.test(value));
  const possible = isDate ? found.filter(({ field }) => field?.kind === "date") : found;
  const matching = possible.length > 1 ? alike(at, sheet, possible) : possible;
  return matching.length > 0 ? matching : possible;
}

const KINDS = {
  email: /^[^\s@]+@[^\s@]+\.[^\s@]+$/,
  tel: /^(?:\+\d[\d ()-]{8,16}|0?[6-9]\d{4}[ -]?\d{5})$/,
  date: /^(?:\d{4}([-./])\d{1,2}\1\d{1,2}(?:[T ][\d:.+Z-]*)?|\d{1,2}([-./])\d{1,2}\2\d{2,4})$/,
} as const;

/** Any document may have a date: a date alone identifies no column. */
const isTelling = ({ field }: Target) => field?.kind !== "date";

/** Return the targets whose pattern all the column's values match. */
function alike(at: number, sheet: Sampled, targets: readonly Target[]): readonly Target[] {
  const values = valuesOf(at, sheet);
  if (values.length === 0) return [];
  return targets.filter(({ field }) => {
    const pattern = field?.pattern ?? KINDS[field?.kind as keyof typeof KINDS];
    return pattern !== undefined && values.every((value) => pattern.test(value));
  });
}

function valuesOf(at: number, { sample }: Sampled): readonly string[] {
  return sample.map(({ cells }) => (cells[at] ?? "").trim()).filter((value) => value !== "");
}

/** A blank header, or `Column 3`, `Unnamed: 3` and the like. */
function isNameless(header: string): boolean {
  return /^(?:column|field|unnamed)?[\s:_-]*\d*$/i.test(header.trim());
}

/** Return targets by all their names; labels take precedence. */
function namesOf(targets: readonly Target[]): ReadonlyMap<string, string> {
  const named = new Map<string, string>();
  for (const way of WAYS) {
    for (const target of targets) {
      for (const name of way(target)) {
        const text = plain(name ?? "");
        if (text !== "" && !named.has(text)) named.set(text, target.name);
      }
    }
  }
  return named;
}

const WAYS: readonly ((target: Target) => readonly (string | undefined)[])[] = [
  ({ label }) => [label],
  ({ name, field }) => [name, field && wireName(field)],
  ({ field }) => [field?.column?.header, field?.column?.id, field?.listName, field && lastName(field)],
];

function keyTexts(target: Target): readonly string[] {
  const names = [...WAYS.flatMap((way) => way(target)), ...(target.field?.aliases ?? [])];
  return names.filter((name) => name !== undefined);
}

function lastName(field: FieldSpec): string | undefined {
  return wireName(field).split(".").at(-1);
}

/** Abbreviations and synonyms in lower case without punctuation, with the word that replaces them; applied in order. */
const WORDS: readonly (readonly [RegExp, string])[] = [
  [/\b(?:a c|ac|acc|acct)\b/g, "account"],
  [/\be? ?mail(?: (?:id|address))?\b/g, "email"],
  [/\b(?:driver(?: ?s)?|driving) licen[cs]e\b|\bd ?l\b|\blic(?:en[cs]e)?\b/g, "license"],
  [
    /\b(?:date of )?(?:valid(?:ity)? (?:up ?to|to|till?|until|thru|through)|validity|exp(?:iry|ires?|iration|iring)?)\b(?: (?:date|dt|on)\b)*/g,
    "expiry",
  ],
  [/\b(?:no|nos|nr|num|nbr)\b/g, "number"],
  [/\bemp\b/g, "employee"],
  [/\b(?:mob|cell|phone|ph|tel|telephone|whatsapp)\b/g, "mobile"],
  [/\b(?:addr|add)\b/g, "address"],
  [/\b(?:reg|regd|regn|rego)\b/g, "registration"],
  [/\bveh\b/g, "vehicle"],
  [/\bpp\b/g, "passport"],
  [/\bdesc\b/g, "description"],
  [/\blat\b/g, "latitude"],
  [/\b(?:lng|lon|long)\b/g, "longitude"],
  [/\b(?:zip|pin|postal|post)(?: ?code)?\b|\bpostcode\b/g, "postal code"],
  [/\bcap\b/g, "capacity"],
  [/\btire(s?)\b/g, "tyre$1"],
  [/\bdt\b/g, "date"],
  [/\b(?:1st|first|primary)\b/g, "1"],
  [/\b(?:2nd|second|secondary|alt|alternate|alternative)\b/g, "2"],
];

const STOP_WORD = /^(?:of|the|an?|in|at|on|for|and|full)?$/;

/** Return the words of a header in a normal form, each once and sorted, so that equal sets mean the same. */
function wordsOf(header: string): readonly string[] {
  const spaced = decomposed(header.replaceAll(/(\p{Ll})(?=\p{Lu})/gu, "$1 "), "NFKD")
    .toLowerCase()
    .replaceAll(/[\p{M}'’`]/gu, "")
    .replaceAll("#", " number ")
    .replaceAll(/(\p{L})(?=\p{N})|(\p{N})(?=\p{L}{3})/gu, "$1$2 ")
    .replaceAll(/[^\p{L}\p{N}]+/gu, " ")
    .trim();
  const replaced = WORDS.reduce((text, [pattern, word]) => text.replace(pattern, word), spaced);
  const words = replaced.split(" ").filter((word) => !STOP_WORD.test(word));
  return [...new Set(words.map(singular))].sort();
}

function singular(word: string): string {
  return word.length > 3 && word.endsWith("s") && !word.endsWith("ss") ? word.slice(0, -1) : word;
}
