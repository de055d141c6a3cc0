/*
 * The search has the same meaning on the server, which searches long lists (`read_model/tables/search_terms.py`). A
 * Python test compares both by running this file in Node: it imports nothing.
 */

/** Combining accents, and invisible characters (`shared/format/controls`), with all joiners. */
const ACCENTS =
  /[\u0300-\u036f\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\ufe20-\ufe2f\u00ad\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\u{e0001}\u{e0020}-\u{e007f}]/gu;
/** Special letters, each before its replacement. */
const LETTERS = "ßss æae œoe øo łl đd ðd þth ħh ŧt ıi ςσ";
const OTHER_LETTERS = /[ßæœøłđðþħŧıς]/g;
const CONTROLS = /\p{Cc}/gu;
/** In characters: the time of normalising grows with the square of the number of consecutive accents. */
const TOGETHER = 500;
const PARTS = new RegExp(`.{1,${TOGETHER}}`, "gsu");
const NOT_A_DIGIT = /[^0-9]/g;
const LOOKS_LIKE_A_PHONE = /^[ \u00a0\u202f()+./\u2010-\u2013-]*[0-9][0-9 \u00a0\u202f()+./\u2010-\u2013-]*$/;
/** Separates a row's texts; it cannot be typed into a search field. */
const BETWEEN_TEXTS = "\n";

/**
 * Create a search for rows with a text in any of their fields, ignoring case and accents. Digits also find numbers
 * written with other spaces, brackets or dashes: `98765 43210` finds `+91-9876543210`. Each row's text is cached,
 * because the search runs on every key press.
 */
export function createRowSearch<Row extends object>(fields: (row: Row) => readonly string[]) {
  const known = new WeakMap<Row, string>();
  const textOf = (row: Row) => {
    let text = known.get(row);
    if (text === undefined) {
      text = searchText(fields(row));
      known.set(row, text);
    }
    return text;
  };

  return (rows: readonly Row[], search: string) => {
    const wanted = soughtIn(search);
    return wanted.length === 0 ? rows : rows.filter((row) => isFound(textOf(row), wanted));
  };
}

/** Return a row's searchable text: its texts, folded, and the digits of phone numbers. */
export function searchText(texts: readonly string[]): string {
  const all = texts.map(folded);
  const digits = all.map(digitsOf).filter((number) => number !== "");
  return [...all, ...digits].join(BETWEEN_TEXTS);
}

/** Return the alternative texts to look for; none for an empty search. */
export function soughtIn(search: string): readonly string[] {
  const text = folded(search).trim();
  return [...new Set([text, digitsOf(text)])].filter((wanted) => wanted !== "");
}

/** Return whether a {@link searchText} matches. */
export function isFound(text: string, wanted: readonly string[]): boolean {
  return wanted.some((one) => text.includes(one));
}

/** Remove case, accents, control characters and invisible characters. */
export function folded(text: string): string {
  return decomposed(text, "NFD")
    .replace(ACCENTS, "")
    .toLowerCase()
    .replace(OTHER_LETTERS, (letter) => new RegExp(`${letter}(\\S+)`).exec(LETTERS)?.[1] ?? letter)
    .replace(CONTROLS, " ");
}

/** Normalise a text in linear time. */
export function decomposed(text: string, form: "NFD" | "NFKD"): string {
  return text.length <= TOGETHER ? text.normalize(form) : text.replace(PARTS, (part) => part.normalize(form));
}

function digitsOf(text: string): string {
  return LOOKS_LIKE_A_PHONE.test(text) ? text.replace(NOT_A_DIGIT, "") : "";
}
