/** A JSON object with any members. */
export type JsonObject = Readonly<Record<string, unknown>>;

/**
 * Parse JSON. Returns undefined for invalid text and for values that parsing would change: JavaScript rounds long
 * numbers, reads 1e400 as infinity, and keeps only the last of duplicate members. The server rejects numbers beyond 53
 * bits as well (RFC 7493).
 */
export function parseJson(text: string): unknown {
  let members = -1; // The reviver visits the root value, too.
  let value: unknown;
  try {
    value = JSON.parse(text, function (this: unknown, _name, member: unknown) {
      if (!Array.isArray(this)) members += 1;
      return member;
    });
  } catch {
    return undefined;
  }
  const tokens = text.match(NAMES_TEXTS_NUMBERS) ?? [];
  const numbers = tokens.filter((token) => !token.startsWith('"'));
  const isWhole = tokens.filter((token) => token.endsWith(":")).length === members;
  return isWhole && numbers.every(isExact) ? value : undefined;
}

/** Parse a JSON object as {@link parseJson}; undefined for any other value. */
export function parseJsonObject(text: string): JsonObject | undefined {
  const value = parseJson(text);
  const isObject = typeof value === "object" && value !== null && !Array.isArray(value);
  return isObject ? (value as JsonObject) : undefined;
}

/** Format a JSON value for editing; empty without a value. */
export function formatJson(value: unknown): string {
  return value === null || value === undefined ? "" : JSON.stringify(value, null, 2);
}

const NAMES_TEXTS_NUMBERS = /"[^"\\]*(?:\\.[^"\\]*)*"(?:\s*:)?|-?\d[\d.eE+-]*/g;
const NUMBER = /^(-?)(\d+)(?:\.(\d+))?(?:e([+-]?\d+))?$/i;

function isExact(written: string): boolean {
  const number = Number(written);
  const isTooLarge = Math.abs(number) > Number.MAX_SAFE_INTEGER;
  return !isTooLarge && decimal(written) === decimal(String(number));
}

/** Normalise a number's text, so that equal numbers have equal texts. */
function decimal(number: string): string | undefined {
  const [, sign, whole = "", fraction = "", exponent = "0"] = NUMBER.exec(number) ?? [];
  if (sign === undefined) return undefined; // Infinity
  const digits = (whole + fraction).replace(/^0+/, "");
  if (digits === "") return "0";
  let end = digits.length; // Not /0+$/, which is quadratic.
  while (digits[end - 1] === "0") end -= 1;
  const power = Number(exponent) - fraction.length + (digits.length - end);
  return `${sign}${digits.slice(0, end)}e${power}`;
}
