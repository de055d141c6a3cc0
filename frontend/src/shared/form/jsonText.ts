/** A JSON object of anybody's making. */
export type JsonObject = Readonly<Record<string, unknown>>;

/**
 * Reads the text of a JSON value. Undefined where it is none, and where it would not survive being read:
 * JavaScript rounds numbers of many digits, takes 1e400 for infinite, and keeps but the last of two members
 * of the same name. Numbers beyond 53 bits the server refuses as well (RFC 7493).
 */
export function parseJson(text: string): unknown {
  let members = -1; // the value as a whole is visited like a member
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

/** The same of a JSON object; undefined for every other value, too. */
export function parseJsonObject(text: string): JsonObject | undefined {
  const value = parseJson(text);
  const isObject = typeof value === "object" && value !== null && !Array.isArray(value);
  return isObject ? (value as JsonObject) : undefined;
}

/** Writes a JSON value as people edit it; there is none where there is no value. */
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

/** A number in the one spelling that all its spellings have in common. */
function decimal(number: string): string | undefined {
  const [, sign, whole = "", fraction = "", exponent = "0"] = NUMBER.exec(number) ?? [];
  if (sign === undefined) return undefined; // infinite
  const digits = (whole + fraction).replace(/^0+/, "");
  if (digits === "") return "0";
  let end = digits.length; // not by /0+$/, which begins anew at every zero
  while (digits[end - 1] === "0") end -= 1;
  const power = Number(exponent) - fraction.length + (digits.length - end);
  return `${sign}${digits.slice(0, end)}e${power}`;
}
