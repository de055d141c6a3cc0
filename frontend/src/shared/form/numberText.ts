/** What the server takes for numeric text: no `0x10`, no `.5`, no `Infinity`. */
const NUMERIC = /^[+-]?\d{1,30}(?:\.\d{1,30})?(?:[eE][+-]?\d{1,3})?$/;

/** Whether trimmed text is a number or, being empty, none. */
export function isNumeric(text: string): boolean {
  return text === "" || NUMERIC.test(text);
}

/** Whether numeric text is within what the server takes. */
export function isOfSensibleSize(text: string): boolean {
  return Math.abs(Number(text)) <= Number.MAX_SAFE_INTEGER;
}

/** Reads numeric text; empty text means none. */
export function numberOrNull(text: string): number | null {
  return text === "" ? null : Number(text);
}
