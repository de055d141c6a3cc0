/*
 * What a list is searched by means the same to the server, which searches lists that are too long for here
 * (`projections/tables/search_terms.py`; a test holds one against the other). So this file imports nothing.
 */

/** Accents, which stand behind their letters once these are apart, and what some programs begin a text with. */
const ACCENTS = /[\u0300-\u036f\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\ufe20-\ufe2f\ufeff]/g;
/** Letters that keyboards elsewhere write as others: before what these are. */
const LETTERS = "ßss æae œoe øo łl đd ðd þth ħh ŧt ıi ςσ";
const OTHER_LETTERS = /[ßæœøłđðþħŧıς]/g;
const CONTROLS = /\p{Cc}/gu;
/** In characters: normalising takes a time that grows with the square of how many accents follow each other. */
const TOGETHER = 500;
const PARTS = new RegExp(`.{1,${TOGETHER}}`, "gsu");
const NOT_A_DIGIT = /[^0-9]/g;
const LOOKS_LIKE_A_PHONE = /^[ \u00a0\u202f()+./\u2010-\u2013-]*[0-9][0-9 \u00a0\u202f()+./\u2010-\u2013-]*$/;
/** Keeps a row's texts apart; nobody types it into a search field. */
const BETWEEN_TEXTS = "\n";

/** Narrows rows to those in which a text occurs. */
export type RowSearch<Row> = (rows: readonly Row[], search: string) => readonly Row[];

/**
 * A search for the rows in whose fields a text occurs, whatever its case and accents. Digits also find
 * numbers that are written with other spaces, brackets or dashes: `98765 43210` finds `+91-9876543210`.
 * It remembers what it has read of each row, because it is asked again at every key.
 */
export function createRowSearch<Row extends object>(fields: (row: Row) => readonly string[]): RowSearch<Row> {
  const known = new WeakMap<Row, string>();
  const textOf = (row: Row) => {
    let text = known.get(row);
    if (text === undefined) {
      text = searchText(fields(row));
      known.set(row, text);
    }
    return text;
  };

  return (rows, search) => {
    const wanted = soughtIn(search);
    return wanted.length === 0 ? rows : rows.filter((row) => isFound(textOf(row), wanted));
  };
}

/** In what a search looks for a row: its texts, folded, and the digits of those that are nothing but a number. */
export function searchText(texts: readonly string[]): string {
  const all = texts.map(folded);
  const digits = all.map(digitsOf).filter((number) => number !== "");
  return [...all, ...digits].join(BETWEEN_TEXTS);
}

/** What is looked for: any of these texts; none where nothing is. */
export function soughtIn(search: string): readonly string[] {
  const text = folded(search).trim();
  return [...new Set([text, digitsOf(text)])].filter((wanted) => wanted !== "");
}

/** Whether a row with this {@link searchText} is found. */
export function isFound(text: string, wanted: readonly string[]): boolean {
  return wanted.some((one) => text.includes(one));
}

/** A text without case and accents. Whatever it is made of, it has no line ends, and nothing that is unseen. */
export function folded(text: string): string {
  return decomposed(text, "NFD")
    .replace(ACCENTS, "")
    .toLowerCase()
    .replace(OTHER_LETTERS, (letter) => new RegExp(`${letter}(\\S+)`).exec(LETTERS)?.[1] ?? letter)
    .replace(CONTROLS, " ");
}

/** A text whose accents stand apart from their letters, in a time that grows with its length alone. */
export function decomposed(text: string, form: "NFD" | "NFKD"): string {
  return text.length <= TOGETHER ? text.normalize(form) : text.replace(PARTS, (part) => part.normalize(form));
}

function digitsOf(text: string): string {
  return LOOKS_LIKE_A_PHONE.test(text) ? text.replace(NOT_A_DIGIT, "") : "";
}
