const toMinutes = new Intl.DateTimeFormat("en-IN", { dateStyle: "medium", timeStyle: "short" });
const toSeconds = new Intl.DateTimeFormat("en-IN", { dateStyle: "medium", timeStyle: "medium" });

interface MomentTextProps {
  /** RFC 3339. */
  moment: string;
  /** To the second; its tooltip has all that is known. */
  isExact?: boolean;
}

/** An instant as people write it, by the reader's clock; anything else is shown as it is. */
export function MomentText({ moment, isExact = false }: MomentTextProps) {
  return (
    <time dateTime={moment} title={isExact ? moment : undefined}>
      {formatMoment(moment, isExact)}
    </time>
  );
}

/** An instant as people write it, as text; see {@link MomentText}. */
export function formatMoment(moment: string, isExact: boolean): string {
  const at = Date.parse(moment);
  return Number.isNaN(at) ? moment : (isExact ? toSeconds : toMinutes).format(at);
}
