const formatter = new Intl.DateTimeFormat("en-IN", {
  day: "numeric",
  month: "short",
  year: "numeric",
  timeZone: "UTC",
});

/** Format a calendar day (`YYYY-MM-DD`); any other text is returned unchanged. */
export function formatDate(date: string): string {
  const moment = /^\d{4}-\d{2}-\d{2}$/.test(date) ? Date.parse(date) : Number.NaN;
  return Number.isNaN(moment) ? date : formatter.format(moment);
}

/** A formatted calendar day. */
export function DateText({ date }: { date: string }) {
  return <time dateTime={date}>{formatDate(date)}</time>;
}
