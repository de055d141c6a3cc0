import { decomposed } from "@/shared/table/search";

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
export function wordsOf(header: string): readonly string[] {
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
