import { MomentText } from "@/shared/format/MomentText";
import { useTripPreferences } from "./preferences";
import styles from "./TripPage.module.css";

const inIndia = new Intl.DateTimeFormat("en-IN", {
  dateStyle: "medium",
  timeStyle: "short",
  timeZone: "Asia/Kolkata",
});

const useClock = () => useTripPreferences(({ clock }) => clock);

/** A moment of the trip, by the clock that the reader has chosen under Settings. */
export function TripTime({ moment }: { moment: string }) {
  if (useClock() === "reader") return <MomentText moment={moment} />;
  return <time dateTime={moment}>{inIndia.format(Date.parse(moment))}</time>;
}

/** Says by which clock the page tells the time. */
export function ClockNote() {
  return (
    <p className={styles.note}>
      {useClock() === "india" ? "Times are Indian Standard Time." : "Times are by your own clock."}
    </p>
  );
}
