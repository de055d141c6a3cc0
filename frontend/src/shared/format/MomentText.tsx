const formatter = new Intl.DateTimeFormat("en-IN", { dateStyle: "medium", timeStyle: "short" });

/** An instant (RFC 3339) as people write it, by the reader's clock; anything else is shown as it is. */
export function MomentText({ moment }: { moment: string }) {
  const at = Date.parse(moment);
  return <time dateTime={moment}>{Number.isNaN(at) ? moment : formatter.format(at)}</time>;
}
