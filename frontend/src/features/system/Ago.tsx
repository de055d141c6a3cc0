import { formatMoment } from "@/shared/format/MomentText";
import { relativeTime } from "@/shared/format/relativeTime";

/**
 * A moment, as the time that has passed since.
 * @param at the server's time in RFC 3339; the browser's clock may be wrong.
 */
export function Ago({ moment, at }: { moment: string; at: string }) {
  return (
    <time dateTime={moment} title={formatMoment(moment, true)}>
      {relativeTime(moment, Date.parse(at))}
    </time>
  );
}
