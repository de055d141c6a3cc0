/*
 * Control characters, which no text has but for tabs and line ends: calendars cannot have them, and nobody sees them
 * (`ops/base/records/control_characters.py` says the same). This file imports nothing.
 */

const CONTROL = /(?![\t\n\r])\p{Cc}/u;
const CONTROLS = new RegExp(CONTROL, "gu");

export const NO_CONTROLS = "Must not contain control characters";

/** Whether a text, or any text in a JSON value, has control characters. */
export function hasControls(value: unknown): boolean {
  if (typeof value === "string") return CONTROL.test(value);
  if (typeof value !== "object" || value === null) return false;
  return Object.entries(value).some((member) => member.some(hasControls));
}

/** A text without them: records of former releases may have some. */
export function withoutControls(text: string): string {
  return text.replaceAll(CONTROLS, "");
}
