const formatter = new Intl.DateTimeFormat("en-IN", {
  day: "numeric",
  month: "short",
  year: "numeric",
  timeZone: "UTC",
});

/** Return whether a text is a calendar day (`YYYY-MM-DD`). */
export function isDay(text: string): boolean {
  const moment = /^\d{4}-\d{2}-\d{2}$/.test(text) ? Date.parse(text) : Number.NaN;
  // Date.parse reads 30 February as a day of March in some browsers.
  return !Number.isNaN(moment) && new Date(moment).toISOString().startsWith(text);
}

/** Format a calendar day; any other text is returned unchanged. */
export function formatDate(date: string): string {
  return isDay(date) ? formatter.format(Date.parse(date)) : date;
}

/** A formatted calendar day. */
export function DateText({ date }: { date: string }) {
  return <time dateTime={date}>{formatDate(date)}</time>;
}
