const formatter = new Intl.DateTimeFormat("en-IN", {
  day: "numeric",
  month: "short",
  year: "numeric",
  timeZone: "UTC",
});

/** A calendar day (`YYYY-MM-DD`) as people write it; anything else is shown as it is. */
export function formatDate(date: string): string {
  const moment = /^\d{4}-\d{2}-\d{2}$/.test(date) ? Date.parse(date) : Number.NaN;
  return Number.isNaN(moment) ? date : formatter.format(moment);
}

/** A calendar day as people write it, and as machines read it. */
export function DateText({ date }: { date: string }) {
  return <time dateTime={date}>{formatDate(date)}</time>;
}
