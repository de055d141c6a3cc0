const toMinutes = new Intl.DateTimeFormat("en-IN", { dateStyle: "medium", timeStyle: "short" });
const toSeconds = new Intl.DateTimeFormat("en-IN", { dateStyle: "medium", timeStyle: "medium" });

interface MomentTextProps {
  /** RFC 3339. */
  moment: string;
  /** Show seconds, and the original text as a tooltip. */
  isExact?: boolean;
}

/** An instant in the reader's time zone; any other text is shown unchanged. */
export function MomentText({ moment, isExact = false }: MomentTextProps) {
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
