/** The server's number format: no `0x10`, `.5` or `Infinity`. */
const NUMERIC = /^[+-]?\d{1,30}(?:\.\d{1,30})?(?:[eE][+-]?\d{1,3})?$/;

/** Return whether trimmed text is empty or a number. */
export function isNumeric(text: string): boolean {
  return text === "" || NUMERIC.test(text);
}

/** Parse a number; empty text is null. */
export function numberOrNull(text: string): number | null {
  return text === "" ? null : Number(text);
}
