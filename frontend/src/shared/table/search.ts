const DIACRITICS = /\p{Diacritic}/gu;
const NOT_A_DIGIT = /\D/g;
const LOOKS_LIKE_A_PHONE = /^[\s()+./-]*\d[\d\s()+./-]*$/;
/** Keeps a row's texts apart; nobody types it into a search field. */
const BETWEEN_TEXTS = "\n";

/** Narrows rows to those in which a text occurs. */
export type RowSearch<Row> = (rows: readonly Row[], search: string) => readonly Row[];

interface SearchedTexts {
  folded: string;
  /** The digits of those texts that are nothing but numbers. */
  digits: string;
}

/**
 * A search for the rows in whose fields a text occurs, whatever its case and accents. Digits also find
 * numbers that are written with other spaces, brackets or dashes: `98765 43210` finds `+91-9876543210`.
 * It remembers what it has read of each row, because it is asked again at every key.
 */
export function createRowSearch<Row extends object>(fields: (row: Row) => readonly string[]): RowSearch<Row> {
  const known = new WeakMap<Row, SearchedTexts>();
  const textsOf = (row: Row) => {
    let texts = known.get(row);
    if (texts === undefined) {
      texts = searchedTexts(fields(row));
      known.set(row, texts);
    }
    return texts;
  };

  return (rows, search) => {
    const wanted = searchedTexts([search.trim()]);
    if (wanted.folded === "") return rows;
    return rows.filter((row) => {
      const { folded, digits } = textsOf(row);
      return folded.includes(wanted.folded) || (wanted.digits !== "" && digits.includes(wanted.digits));
    });
  };
}

function searchedTexts(texts: readonly string[]): SearchedTexts {
  const all = texts.map(folded);
  const numbers = all.filter((text) => LOOKS_LIKE_A_PHONE.test(text));
  return {
    folded: all.join(BETWEEN_TEXTS),
    digits: numbers.map((text) => text.replace(NOT_A_DIGIT, "")).join(BETWEEN_TEXTS),
  };
}

/** A text without case and accents. */
export function folded(text: string): string {
  return text.normalize("NFD").replace(DIACRITICS, "").toLowerCase();
}
