/*
 * Control characters other than tabs and line ends, which calendars cannot hold and nobody can see.
 * `ops/base/records/control_characters.py` has the same rule. A Python test has Node run this file: it imports nothing.
 */

const CONTROL = /(?![\t\n\r])\p{Cc}/u;
const CONTROLS = new RegExp(CONTROL, "gu");

export const NO_CONTROLS = "Must not contain control characters";

/** Return whether a text, or any text within a JSON value, has control characters. */
export function hasControls(value: unknown): boolean {
  if (typeof value === "string") return CONTROL.test(value);
  if (typeof value !== "object" || value === null) return false;
  return Object.entries(value).some((member) => member.some(hasControls));
}

/** Remove control characters, which records of earlier releases may have. */
export function withoutControls(text: string): string {
  return text.replaceAll(CONTROLS, "");
}
