/** Numbers of the formats that spreadsheets know by themselves and that show a day, a time or both. */
const KNOWN: readonly (readonly [first: number, last: number])[] = [
  [14, 22],
  [27, 36],
  [45, 47],
  [50, 58],
];

/** Parts of a format that are no date: texts, colours, conditions. One that is not closed reaches to the end. */
const ASIDE = /"[^"]*"?|\\.|_.|\*.|\[(?!h+\]|m+\]|s+\])[^\]]*\]?/gi;

/** Whether a cell's number is meant as a date. */
export function isDateFormat(id: number, code: string | undefined): boolean {
  if (code === undefined) return KNOWN.some(([first, last]) => id >= first && id <= last);
  return /[dmyhs]/i.test(code.replaceAll(ASIDE, "").replaceAll(/general/gi, ""));
}

const DAY = 86_400_000;
/** Day 0 as most count; until the end of February 1900, which they give a 29th, it is one day less. */
const FROM_1900 = Date.UTC(1899, 11, 30);
const FROM_1904 = Date.UTC(1904, 0, 1);

/** The number of a day as `2026-11-25`, with its time where it is not midnight; a time alone as `08:30:00`. */
export function dateText(serial: number, isFrom1904: boolean): string {
  const shifted = !isFrom1904 && serial < 60 ? serial + 1 : serial;
  const moment = new Date((isFrom1904 ? FROM_1904 : FROM_1900) + Math.round(shifted * 86_400) * 1000);
  if (Number.isNaN(moment.getTime())) return String(serial);
  const [day = "", time = ""] = moment.toISOString().slice(0, 19).split("T");
  if (serial >= 0 && serial < 1 && !isFrom1904) return time;
  return moment.getTime() % DAY === 0 ? day : `${day}T${time}`;
}
