const DIACRITICS = /\p{Diacritic}/gu;
const NOT_A_DIGIT = /\D/g;
const LOOKS_LIKE_A_PHONE = /^[\d\s()+./-]*\d[\d\s()+./-]*$/;

/** Narrows rows to those in which a text occurs. */
export type RowSearch<Row> = (rows: readonly Row[], search: string) => readonly Row[];

interface SearchedText {
  folded: string;
  /** The digits of a text that is nothing but a number; of any other text, nothing. */
  digits: string;
}

/**
 * A search for the rows in whose fields a text occurs, whatever its case and accents. Digits also find
 * numbers that are written with other spaces, brackets or dashes: `98765 43210` finds `+91-9876543210`.
 * It remembers what it has read of each row, because it is asked again at every key.
 */
export function createRowSearch<Row extends object>(fields: (row: Row) => readonly string[]): RowSearch<Row> {
  const known = new WeakMap<Row, readonly SearchedText[]>();
  const textsOf = (row: Row) => {
    let texts = known.get(row);
    if (texts === undefined) {
      texts = fields(row).map(searchedText);
      known.set(row, texts);
    }
    return texts;
  };

  return (rows, search) => {
    const wanted = searchedText(search.trim());
    if (wanted.folded === "") return rows;
    const occursIn = ({ folded, digits }: SearchedText) =>
      folded.includes(wanted.folded) || (wanted.digits !== "" && digits.includes(wanted.digits));
    return rows.filter((row) => textsOf(row).some(occursIn));
  };
}

function searchedText(text: string): SearchedText {
  const folded = text.normalize("NFD").replace(DIACRITICS, "").toLowerCase();
  return { folded, digits: LOOKS_LIKE_A_PHONE.test(folded) ? folded.replace(NOT_A_DIGIT, "") : "" };
}
