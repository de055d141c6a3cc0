import { dayIn } from "@/shared/expiry/expiry";
import { isOnePhone } from "@/shared/format/ContactLinks";
import { isDay } from "@/shared/format/DateText";
import type { FieldSpec } from "./fields";
import { isNumeric } from "./numberText";

/** Return why trimmed text that can be saved is probably wrong. */
export type Warning = (value: string) => string | undefined;

/** Return a field's own warning, or that of its kind. */
export function warningOf({ kind, expires, warning }: FieldSpec): Warning | undefined {
  const chosen = warning ?? (expires ? expired : kind && BY_KIND[kind]);
  return chosen && ((text) => (text.trim() === "" ? undefined : chosen(text.trim())));
}

const BY_KIND: Partial<Record<NonNullable<FieldSpec["kind"]>, Warning>> = {
  tel: (value) => {
    if (/\p{L}/u.test(value)) return "A phone number has no letters.";
    return isOnePhone(value) ? undefined : "This is not one phone number.";
  },
  email: (value) => {
    const domain = value.slice(value.lastIndexOf("@") + 1).toLowerCase();
    const isKnown = MAIL.includes(domain) || ALIKE.includes(domain);
    const meant = isKnown ? undefined : MAIL.find((one) => isNear(one, domain, 1));
    return meant && `Did you mean ${meant}?`;
  },
};

const MAIL = ["gmail.com", "yahoo.com", "hotmail.com", "outlook.com", "rediffmail.com"];
/** Other providers whose names differ by one letter. */
const ALIKE = ["mail.com", "email.com", "ymail.com"];

const expired: Warning = (value) =>
  isDay(value) && value < dayIn(0, new Date()) ? "This document has expired." : undefined;

export const notInFuture: Warning = (value) =>
  isDay(value) && value > dayIn(0, new Date()) ? "This date is in the future." : undefined;

export const wholeNumber: Warning = (value) =>
  isNumeric(value) && !Number.isInteger(Number(value)) ? `${value} is not a whole number.` : undefined;

/** An Indian bank branch: four letters, a zero, six letters or digits. */
export const IFSC_CODE = /^[A-Z]{4}0[A-Z0-9]{6}$/i;

export const ifscCode: Warning = (value) =>
  IFSC_CODE.test(value) ? undefined : "An IFSC code has 11 characters, such as SBIN0001234.";

export const swiftCode: Warning = (value) =>
  /^[A-Z]{6}[A-Z0-9]{2}(?:[A-Z0-9]{3})?$/i.test(value)
    ? undefined
    : "A SWIFT code has 8 or 11 characters, such as SBININBB.";

/** Warn of a status that is none of these, in any spelling of codes. */
export function oneOf(known: readonly string[]): Warning {
  const plain = (text: string) => text.replaceAll("_", " ").toLowerCase();
  return (value) => {
    const isWithin = (edits: number) => known.find((one) => isNear(plain(one), plain(value), edits));
    if (isWithin(0)) return undefined;
    const meant = isWithin(1) ?? isWithin(2);
    return `${value} is not a known status.${meant ? ` Did you mean ${meant}?` : ""}`;
  };
}

/** Return whether at most `edits` insertions, removals, replacements or swaps of letters turn one text into the other. */
function isNear(a: string, b: string, edits: number): boolean {
  if (a === b || edits === 0) return a === b;
  let same = 0;
  while (a[same] === b[same]) same += 1;
  const [restA, restB] = [a.slice(same), b.slice(same)];
  const isSwapped = restA[0] === restB[1] && restA[1] === restB[0];
  return [
    [restA.slice(1), restB],
    [restA, restB.slice(1)],
    [restA.slice(1), restB.slice(1)],
    ...(isSwapped ? [[restA.slice(2), restB.slice(2)]] : []),
  ].some(([one = "", other = ""]) => isNear(one, other, edits - 1));
}
