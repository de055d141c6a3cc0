const MINUTE = 60;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const UNITS = [
  ["day", DAY],
  ["hour", HOUR],
  ["minute", MINUTE],
] as const;

const formatter = new Intl.RelativeTimeFormat("en", { numeric: "auto" });

/** How long ago it was: `just now`, `5 minutes ago`, `yesterday`. Clocks differ: the future is now. */
export function relativeTime(moment: string, now: number): string {
  const seconds = (now - Date.parse(moment)) / 1000;
  for (const [unit, length] of UNITS) {
    if (seconds >= length) return formatter.format(-Math.floor(seconds / length), unit);
  }
  return Number.isNaN(seconds) ? moment : "just now";
}
