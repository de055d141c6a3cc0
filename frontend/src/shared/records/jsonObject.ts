/** A JSON object of anybody's making. */
export type JsonObject = Readonly<Record<string, unknown>>;

/** A JSON value as people edit it; empty where there is none. */
export function formatJson(value: unknown): string {
  return value === null || value === undefined ? "" : JSON.stringify(value, null, 2);
}

/**
 * Reads the text of a JSON object. Undefined where it is none, and where a number in it would arrive at the
 * server as another number or not at all.
 */
export function parseJsonObject(text: string): JsonObject | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  const isObject = typeof value === "object" && value !== null && !Array.isArray(value);
  return isObject && numbersIn(text).every(isKept) ? (value as JsonObject) : undefined;
}

const STRING_OR_NUMBER = /"[^"\\]*(?:\\.[^"\\]*)*"|[-\d][-+.\deE]*/g;

/** The numbers of a JSON text as they are written; those inside strings are none. */
function numbersIn(json: string): string[] {
  return (json.match(STRING_OR_NUMBER) ?? []).filter((token) => !token.startsWith('"'));
}

function isKept(written: string): boolean {
  const number = Number(written);
  if (!Number.isFinite(number)) return false;
  const sent = JSON.stringify(number);
  // The server takes no whole number beyond 53 bits, which some readers could not hold (RFC 7493).
  if (/^-?\d+$/.test(sent) && !Number.isSafeInteger(number)) return false;
  return decimal(written) === decimal(sent);
}

/** One spelling for each decimal number: `-1.50`, `-15e-1` → `-15e-1`. */
function decimal(written: string): string {
  const [mantissa = "", exponent = "0"] = written.toLowerCase().split("e");
  const [whole = "", fraction = ""] = mantissa.replace("-", "").split(".");
  const digits = (whole + fraction).replace(/^0+/, "");
  const significant = digits.replace(/0+$/, "");
  if (significant === "") return "0";
  const power = Number(exponent) - fraction.length + digits.length - significant.length;
  return `${mantissa.startsWith("-") ? "-" : ""}${significant}e${power}`;
}
