/*
 * Control characters other than tabs and line ends, which calendars cannot hold and which are invisible.
 * `ops/base/records/control_characters.py` has the same rule. A Python test has Node run this file: it imports nothing.
 */

const CONTROL = /(?![\t\n\r])\p{Cc}/u;
const CONTROLS = new RegExp(CONTROL, "gu");

/** Invisible characters, most of Unicode's category Cf; Arabic number signs are visible. */
const INVISIBLE =
  /[\u00ad\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\u{e0001}\u{e0020}-\u{e007f}]/gu;
/** The joiners are part of the spelling after letters of these scripts, and join emoji. */
const MAY_JOIN =
  /(?:\ufe0f|[\p{scx=Arab}\p{scx=Syrc}\p{scx=Mong}\p{scx=Deva}\p{scx=Beng}\p{scx=Guru}\p{scx=Gujr}\p{scx=Orya}\p{scx=Taml}\p{scx=Telu}\p{scx=Knda}\p{scx=Mlym}\p{scx=Sinh}\p{Extended_Pictographic}\p{Emoji_Modifier}])$/u;

export const NO_CONTROLS = "Must not contain control characters";

/** Return whether a text, or any text within a JSON value, has control characters. */
export function hasControls(value: unknown): boolean {
  if (typeof value === "string") return CONTROL.test(value);
  if (typeof value !== "object" || value === null) return false;
  return Object.entries(value).some((member) => member.some(hasControls));
}

/** Remove invisible characters, except joiners that belong to the spelling. */
export function withoutInvisible(text: string): string {
  return text.replaceAll(INVISIBLE, (character, at: number) => {
    const isJoiner = character === "\u200c" || character === "\u200d";
    return isJoiner && MAY_JOIN.test(text.slice(Math.max(0, at - 2), at)) ? character : "";
  });
}

/** Remove control characters, which records of earlier releases may have. */
export function withoutControls(text: string): string {
  return text.replaceAll(CONTROLS, "");
}
