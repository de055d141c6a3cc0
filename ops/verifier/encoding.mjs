/** Refusals, and values with exactly one spelling: Base64, hex, integers, moments and JSON strings. */

import { Buffer } from "node:buffer";

/** The input does not follow the format. The message is the reason that the command prints. */
export class Refusal extends Error {}

export const refuse = (reason) => {
  throw new Refusal(reason);
};

/** Return the bytes of exact Base64. Node decodes other spellings too, so the bytes are encoded again. */
export const base64 = (text, what, length) => {
  const bytes = Buffer.from(text, "base64");
  if (bytes.toString("base64") !== text) refuse(`${what} is not exact Base64`);
  if (length !== undefined && bytes.length !== length) refuse(`${what} does not have ${length} bytes`);
  return bytes;
};

/** Return a text if it is a hash: 64 hex digits with small letters. */
export const hexHash = (text, what) =>
  text.length === 64 && /^[0-9a-f]+$/.test(text) ? text : refuse(`${what} is not a hash in hex`);

/** Return the BigInt of decimal digits. The length comes first: a huge number takes long to convert. */
export const integer = (digits, what) => {
  const isExact = digits.length <= 19 && /^(?:0|[1-9][0-9]*)$/.test(digits);
  return isExact && BigInt(digits) < 2n ** 63n
    ? BigInt(digits)
    : refuse(`${what} is not an integer below 2^63`);
};

/** Return a check that a text has the pattern of a moment and names a real date and time. */
const momentCheck = (pattern) => (text, what) => {
  const second = text.slice(0, 19);
  const date = new Date(`${second}Z`);
  const isReal = !Number.isNaN(date.getTime()) && date.toISOString().startsWith(second);
  return isReal && pattern.test(text) ? text : refuse(`${what} is not an exact moment`);
};

export const checkpointMoment = momentCheck(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
export const eventMoment = momentCheck(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}\+00:00$/);

const escapeUnit = (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`;

/** Return a string as exact JSON, in ASCII. The two surrogates of a character become two escapes. */
export const quoted = (text) => JSON.stringify(text).replace(/[^ -~]/g, escapeUnit);

/** Return untrusted text for one line of output: cut off, and with invisible characters escaped. */
export const shown = (text, limit = 200) => {
  const safe = text.slice(0, limit).replace(/[\p{C}\p{Zl}\p{Zp}\\]/gu, (found) => quoted(found).slice(1, -1));
  return text.length > limit ? `${safe}...` : safe;
};
