const DIACRITICS = /\p{Diacritic}/gu;
const NOT_A_DIGIT = /\D/g;
const LOOKS_LIKE_A_PHONE = /^[\d\s()+./-]*\d[\d\s()+./-]*$/;

/**
 * The rows in whose searched fields the text occurs, whatever its case and accents. Digits also find
 * numbers that are written with other spaces, brackets or dashes: `98765 43210` finds `+91-9876543210`.
 */
export function searchRows<Row>(
  rows: readonly Row[],
  fields: (row: Row) => readonly string[],
  search: string,
): readonly Row[] {
  const wanted = fold(search.trim());
  if (wanted === "") return rows;
  const digits = LOOKS_LIKE_A_PHONE.test(wanted) ? wanted.replace(NOT_A_DIGIT, "") : "";
  return rows.filter((row) =>
    fields(row).some((field) => {
      const text = fold(field);
      return text.includes(wanted) || (digits !== "" && isNumber(text) && digitsOf(text).includes(digits));
    }),
  );
}

function fold(text: string): string {
  return text.normalize("NFD").replace(DIACRITICS, "").toLowerCase();
}

function isNumber(text: string): boolean {
  return LOOKS_LIKE_A_PHONE.test(text);
}

function digitsOf(text: string): string {
  return text.replace(NOT_A_DIGIT, "");
}
