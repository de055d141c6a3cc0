const toMinutes = new Intl.DateTimeFormat("en-IN", { dateStyle: "medium", timeStyle: "short" });
const toSeconds = new Intl.DateTimeFormat("en-IN", { dateStyle: "medium", timeStyle: "medium" });

/**
 * An instant (RFC 3339) in the reader's time zone; any other text is shown unchanged. If exact, it has seconds, and the
 * original text as a tooltip.
 */
export function MomentText({ moment, isExact = false }: { moment: string; isExact?: boolean }) {
  return (
    <time dateTime={moment} title={isExact ? moment : undefined}>
      {formatMoment(moment, isExact)}
    </time>
  );
}

/** Format an instant; see {@link MomentText}. */
export function formatMoment(moment: string, isExact: boolean): string {
  const at = Date.parse(moment);
  return Number.isNaN(at) ? moment : (isExact ? toSeconds : toMinutes).format(at);
}
