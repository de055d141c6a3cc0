import { MomentText } from "@/shared/format/MomentText";
import { useTripPreferences } from "./preferences";

const inIndia = new Intl.DateTimeFormat("en-IN", {
  dateStyle: "medium",
  timeStyle: "short",
  timeZone: "Asia/Kolkata",
});

/** A moment of the trip, by the clock that the reader has chosen under Settings. */
export function TripTime({ moment }: { moment: string }) {
  const clock = useTripPreferences((preferences) => preferences.clock);
  if (clock === "reader") return <MomentText moment={moment} />;
  return <time dateTime={moment}>{inIndia.format(Date.parse(moment))}</time>;
}

/** Says by which clock the page tells the time. */
export function clockNote(clock: "india" | "reader"): string {
  return clock === "india" ? "Times are Indian Standard Time." : "Times are by your own clock.";
}
