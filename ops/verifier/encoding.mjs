/** Refusals, and values with exactly one text: Base64, hex, integers, moments and lines of JSON. */

import { Buffer } from "node:buffer";

/** The input does not follow the format. The message is the reason that the command prints. */
export class Refusal extends Error {}

/** A bound on the memory for a line, a file that is read as a whole, and the directory of an archive. */
export const LIMIT = 16 * 1024 * 1024;

export const refuse = (reason) => {
  throw new Refusal(reason);
};

/** Return the bytes of exact Base64. Node decodes other texts too, so the bytes are encoded again. */
export const base64 = (text, what, length) => {
  const bytes = Buffer.from(text, "base64");
  if (bytes.toString("base64") !== text) refuse(`${what} is not exact Base64`);
  if (length !== undefined && bytes.length !== length) refuse(`${what} does not have ${length} bytes`);
  return bytes;
};

/** Return the 32 bytes of a hash in hex. */
export const hexHash = (text, what) => {
  const isHash = typeof text === "string" && /^[0-9a-f]{64}$/.test(text);
  return isHash ? Buffer.from(text, "hex") : refuse(`${what} is not a hash in hex`);
};

/** Return a number if it is an integer of the format: from a minimum, and less than 2^53. */
export const integer = (value, what, minimum = 0) => {
  const isInteger = Number.isSafeInteger(value) && value >= minimum;
  return isInteger ? value : refuse(`${what} is not an integer from ${minimum} to 2^53 - 1`);
};

/** Return the integer of decimal digits. */
export const digits = (text, what, minimum) =>
  integer(/^(?:0|[1-9][0-9]{0,15})$/.test(text) ? Number(text) : -1, what, minimum);

/** Return a moment with whole seconds if its date and time exist. */
export const moment = (text, what) => {
  const isMoment = /^(?!0000)\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/.test(text);
  // A date such as February 30 becomes another one.
  const exists = isMoment && new Date(text).toJSON() === text.replace("Z", ".000Z");
  return exists ? text : refuse(`${what} is not a moment that exists`);
};

const escapeUnit = (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`;

/** Return a value's JSON in ASCII, with the members in the order of the object. */
export const quoted = (value) => JSON.stringify(value).replace(/[^ -~]/g, escapeUnit);

/** Return the value of JSON in its exact text; names of members that look like integers are not supported. */
export const exactJson = (text, what) => {
  let value;
  try {
    value = JSON.parse(text);
    if (quoted(value) !== text) refuse(`${what} is not in the exact text of JSON`);
  } catch (error) {
    // JSON.stringify throws a RangeError for deep nesting, which no line of the format has.
    refuse(error instanceof Refusal ? error.message : `${what} is not JSON`);
  }
  // Each escaped surrogate contains these characters, and few lines do.
  if (text.includes("\\ud")) {
    JSON.stringify(value, (_, item) =>
      item?.isWellFormed?.() === false ? refuse(`${what} has a lone surrogate`) : item,
    );
  }
  return value;
};

/** Return untrusted text for one line of output: cut off, and with invisible characters escaped. */
export const shown = (text, limit = 200) => {
  const safe = text.slice(0, limit).replace(/[\p{C}\p{Zl}\p{Zp}\\]/gu, (found) => quoted(found).slice(1, -1));
  return text.length > limit ? `${safe}...` : safe;
};
