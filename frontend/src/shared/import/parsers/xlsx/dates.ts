/** Built-in number formats that show a date or time. */
const KNOWN: readonly (readonly [first: number, last: number])[] = [
  [14, 22],
  [27, 36],
  [45, 47],
  [50, 58],
];

/** Literal text, colours and conditions in a format; an unclosed one reaches to the end. */
const ASIDE = /"[^"]*"?|\\.|_.|\*.|\[(?!h+\]|m+\]|s+\])[^\]]*\]?/gi;

/** Return whether a number format shows a date. */
export function isDateFormat(id: number, code: string | undefined): boolean {
  if (code === undefined) return KNOWN.some(([first, last]) => id >= first && id <= last);
  return /[dmyhs]/i.test(code.replaceAll(ASIDE, "").replaceAll(/general/gi, ""));
}

const DAY = 86_400_000;
/** Day 0; before March 1900 one day less, because spreadsheets count 29 February 1900. */
const FROM_1900 = Date.UTC(1899, 11, 30);
const FROM_1904 = Date.UTC(1904, 0, 1);

/** Format a serial date as `2026-11-25`, with a time unless midnight; a time alone as `08:30:00`. */
export function dateText(serial: number, isFrom1904: boolean): string {
  const shifted = !isFrom1904 && serial < 60 ? serial + 1 : serial;
  const moment = new Date((isFrom1904 ? FROM_1904 : FROM_1900) + Math.round(shifted * 86_400) * 1000);
  if (Number.isNaN(moment.getTime())) return String(serial);
  const [day = "", time = ""] = moment.toISOString().slice(0, 19).split("T");
  if (serial >= 0 && serial < 1 && !isFrom1904) return time;
  return moment.getTime() % DAY === 0 ? day : `${day}T${time}`;
}
