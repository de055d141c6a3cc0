const MINUTE = 60;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const UNITS = [
  ["day", DAY],
  ["hour", HOUR],
  ["minute", MINUTE],
] as const;

const formatter = new Intl.RelativeTimeFormat("en", { numeric: "auto" });

/** Format the time since a moment: `just now`, `5 minutes ago`, `yesterday`. A moment in the future counts as now. */
export function relativeTime(moment: string, now: number): string {
  const seconds = (now - Date.parse(moment)) / 1000;
  for (const [unit, length] of UNITS) {
    if (seconds >= length) return formatter.format(-Math.floor(seconds / length), unit);
  }
  return Number.isNaN(seconds) ? moment : "just now";
}
