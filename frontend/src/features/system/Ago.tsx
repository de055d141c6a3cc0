import { formatMoment } from "@/shared/format/MomentText";
import { relativeTime } from "@/shared/format/relativeTime";

/**
 * How long ago something was.
 * @param at what is now by the server's clock, in RFC 3339: the reader's own may be wrong.
 */
export function Ago({ moment, at }: { moment: string; at: string }) {
  return (
    <time dateTime={moment} title={formatMoment(moment, true)}>
      {relativeTime(moment, Date.parse(at))}
    </time>
  );
}
